import { openFakePage } from '#support/browser/fakePage'
import { assert, suite } from '#support/runner/suite'

const page = openFakePage()
const { describePhone, judge, load, ownVerdicts, phone, problem, view } = await import(
  '../../../../../local-runner/ui/trial/store'
)

const test = suite('the page of a trial')
const MINE = { model: 'Pixel 9', system: '16', gallery: 'Photos' }
const given = { outcome: 'plays', date: 'right', family: 'google' }
const VIEW = {
  phone: { model: 'Guessed' },
  variants: [],
  verdicts: [
    { ...given, ...MINE, variant: 'a' },
    { ...given, ...MINE, gallery: 'Files', variant: 'b' },
  ],
}
const focused: string[] = []
Object.defineProperty(globalThis, 'document', {
  value: { querySelector: (field: string) => ({ focus: () => focused.push(field) }) },
})

test.before.each(() => {
  page.asked.length = 0
  page.answer = async () => Response.json(VIEW)
})

test('a phone that was described before is kept; otherwise it is the one of the request', async () => {
  await load()
  assert.equal([phone.value.model, phone.value.system], ['Guessed', ''])
  describePhone({ ...MINE, model: ' Pixel 9 ' })
  phone.value = { model: '', system: '', gallery: '', family: 'other' }
  await load()
  assert.is(phone.value.model, ' Pixel 9 ')
  page.kept.set('trial-phone', 'not JSON')
  await load()
  assert.is(phone.value.model, 'Guessed')
})

test('only the verdicts of this gallery on this phone are its own', async () => {
  await load()
  describePhone({ ...MINE, model: ' Pixel 9 ' })
  assert.equal([...ownVerdicts.value.keys()], ['a'])
})

test('a verdict needs the phone and its gallery', async () => {
  for (const [change, field] of [
    [{ model: ' ', gallery: '' }, '#model'],
    [{ model: 'x', gallery: ' ' }, '#gallery'],
  ] as const) {
    describePhone(change)
    await judge('legacy', 'plays', 'right')
    assert.equal([problem.value?.kind, focused.pop(), page.asked.length], ['fillIn', field, 0])
  }
})

test('a verdict is sent as it is stored, and the answer is shown', async () => {
  await load()
  describePhone({ ...MINE, gallery: ' Photos ' })
  page.answer = async () => Response.json({ verdicts: [] })
  await judge('legacy', 'plays', 'right')
  const sent = page.asked.at(-1)
  assert.is(sent?.path, 'verdicts')
  assert.is(JSON.parse(String(sent?.init.body)).gallery, 'Photos')
  assert.equal([view.value?.verdicts, problem.value], [[], undefined])
})

test('what failed is shown', async () => {
  page.answer = async () =>
    Response.json({ code: 'unavailable', detail: 'The disk is full.' }, { status: 503 })
  await judge('legacy', 'plays', 'right')
  assert.equal(problem.value, { kind: 'failed', detail: 'The disk is full.' })
  await load()
  assert.is(problem.value?.kind, 'notLoaded')
})
