import { GALLERIES, MOTION_PHOTO_PROFILES } from '#internal/formats/profiles/profile'
import reports from '#internal/formats/profiles/reports.json'
import { assert, suite } from '#support/runner/suite'

const test = suite('reports of phones')

const PROFILES: readonly (string | null)[] = [...MOTION_PHOTO_PROFILES, 'apple', null]
const FIELDS = ['gallery', 'phone', 'system', 'result', 'profile', 'what', 'url', 'date']
const ORDER: readonly string[] = GALLERIES
const rankOf = (gallery: string) => ORDER.indexOf(gallery)

test('each says which gallery of which phone did what with which photos, who says so, and when', () => {
  for (const report of reports) {
    const { gallery, phone, result, profile, what, url, date } = report
    assert.equal(Object.keys(report), FIELDS, url)
    assert.ok(rankOf(gallery) >= 0, gallery)
    assert.ok(['works', 'fails', 'unknown'].includes(result), result)
    assert.ok(PROFILES.includes(profile), String(profile))
    assert.is(new Date(date).toISOString().slice(0, 10), date)
    assert.match(url, /^https:\/\/[^\s|()]+$/)
    assert.match(what, /^[A-Z][^|]+\.$/)
    assert.ok(phone !== '' && !phone.includes('|'), phone)
  }
})

test('they are in the order of galleries and dates, none is there twice, and no family is forgotten', () => {
  const order = reports.map(({ gallery, date }) => `${rankOf(gallery)} ${date}`)
  assert.equal(order, order.toSorted())
  const keys = reports.map(({ gallery, phone, system, url }) => [gallery, phone, system, url].join(' '))
  assert.is(new Set(keys).size, keys.length)
  const missing = GALLERIES.filter((gallery) => !reports.some((report) => report.gallery === gallery))
  assert.equal(missing, ['android'], 'a list of the system, not a gallery')
})

test.run()
