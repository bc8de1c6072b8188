import { createHash } from 'node:crypto'
import { ServiceError } from '#core/errors'
import { createTrialApp, type TrialView } from '#core/media/trial/trialApp'
import type { Verdict } from '#core/media/trial/verdicts'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { sampleTrial } from './sampleTrial'

const test = suite('the page of a trial, as an app')

const token = 'ab'.repeat(16)
const base = `http://192.168.1.2:8123/${token}/`
const { trial, files } = sampleTrial((bytes) => createHash('sha256').update(bytes).digest('hex'))
const verdict = { variant: 'no-mpf', model: 'Find X7', gallery: 'Photos', outcome: 'still', family: 'oppo' }

function open(changes: { readonly readFile?: (name: string) => Promise<Uint8Array> } = {}) {
  let verdicts: readonly Verdict[] = []
  const app = createTrialApp({
    trial,
    page: { html: '<!doctype html>', styleHash: 'sha256-a', scriptHash: 'sha256-b' },
    token,
    links: () => [base, `http://10.0.0.2:8123/${token}/`],
    async readFile(name) {
      const bytes = files.get(name)
      if (!bytes) throw new ServiceError('not-found', 'gone')
      return bytes
    },
    readVerdicts: async () => verdicts,
    async updateVerdicts(change) {
      verdicts = change(verdicts)
      return verdicts
    },
    now: () => 0,
    ...changes,
  })
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    app(
      new Request(`${base}verdicts`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
  return { app, post, get: (path: string, init?: RequestInit) => app(new Request(base + path, init)) }
}

test('the page needs the token, and may load nothing from elsewhere', async () => {
  const { app, get } = open()
  const page = await get('')
  assert.is(page.status, 200)
  assert.match(page.headers.get('Content-Security-Policy') ?? '', /default-src 'none'.*connect-src 'self';/)
  assert.match(page.headers.get('Accept-CH') ?? '', /Sec-CH-UA-Model/)
  const moved = await app(new Request(base.slice(0, -1)))
  assert.equal([moved.status, moved.headers.get('Location')], [308, `/${token}/`])
  for (const path of ['', 'trial', `${'ba'.repeat(16)}/`, `${token.slice(1)}/trial`, `${token}x/trial`]) {
    const { status } = await app(new Request(`http://192.168.1.2:8123/${path}`))
    assert.is(status, 404, path)
  }
})

test('the trial: files, predictions, links with a QR code, the phone by its user agent', async () => {
  const response = await open().get('trial', { headers: { 'User-Agent': 'x (Linux; Android 13; SM-S901B)' } })
  const view = (await response.json()) as TrialView
  assert.is(view.source, 'video.mp4')
  assert.equal(view.variants, trial.variants)
  assert.equal(view.left_out, trial.left_out)
  const addresses = view.links.map(({ url }) => url)
  assert.equal(addresses, [base, `http://10.0.0.2:8123/${token}/`])
  assert.match(view.links[0]?.svg ?? '', /^<svg/)
  assert.equal(view.phone, { model: 'SM-S901B', system: 'Android 13' })
  assert.equal(view.verdicts, [])
})

test('each file is sent whole, as what it is, under its name', async () => {
  const { get } = open()
  for (const { file, content_type } of trial.variants) {
    const response = await get(`files/${file}`)
    const expected = files.get(file) ?? new Uint8Array()
    assert.equal(
      ['Content-Type', 'Content-Disposition', 'Content-Length'].map((name) => response.headers.get(name)),
      [content_type, `attachment; filename="${file}"`, String(expected.length)],
    )
    equalBytes(new Uint8Array(await response.arrayBuffer()), expected)
  }
  const head = await get(`files/${trial.variants[0]?.file}`, { method: 'HEAD' })
  assert.equal([head.status, (await head.arrayBuffer()).byteLength], [200, 0])
})

test('no other file is sent, nor one that has changed', async () => {
  const { get } = open()
  for (const name of ['trial.json', 'verdicts.json', '..%2Ftrial.json', '%2e%2e/trial.json', 'none.jpg']) {
    assert.is((await get(`files/${name}`)).status, 404, name)
  }
  const other = open({ readFile: async () => Uint8Array.of(1, 2, 3) })
  const response = await other.get(`files/${trial.variants[0]?.file}`)
  assert.is(response.status, 409)
  assert.match(await response.text(), /has changed/)
})

test('a verdict is stored, and shown with what was predicted', async () => {
  const { post, get } = open()
  const response = await post({ ...verdict, variant: 'no-oppo-fields', outcome: 'plays' })
  assert.is(response.status, 200)
  const { verdicts } = (await response.json()) as Pick<TrialView, 'verdicts'>
  assert.equal([verdicts.length, verdicts[0]?.outcome, verdicts[0]?.is_unlike_prediction], [1, 'plays', true])
  assert.equal(((await (await get('trial')).json()) as TrialView).verdicts, verdicts)
})

test('bad input is refused, naming the field', async () => {
  const { post, app, get } = open()
  const wrong = await post({ ...verdict, outcome: 'fine', model: '' })
  const { detail, code } = (await wrong.json()) as { detail: string; code: string }
  assert.equal([wrong.status, code], [400, 'invalid-request'])
  assert.match(detail, /model is missing\. outcome must be one of plays/)
  assert.is((await post('{')).status, 400)
  assert.is((await post('[]')).status, 400)
  assert.is((await post({ ...verdict, note: 'x'.repeat(9000) })).status, 413)
  const form = await app(
    new Request(`${base}verdicts`, { method: 'POST', body: new URLSearchParams({ variant: 'no-mpf' }) }),
  )
  assert.is(form.status, 415)
  assert.equal(((await (await get('trial')).json()) as TrialView).verdicts, [])
})

test('other web pages and other host names are refused', async () => {
  const { post, app } = open()
  assert.is((await post(verdict, { Origin: 'http://192.168.1.2:8123' })).status, 200)
  for (const headers of [
    { Origin: 'https://example.com' },
    { Origin: 'null' },
    { Origin: 'http://10.0.0.2:8123' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ]) {
    assert.is((await post(verdict, headers)).status, 403, JSON.stringify(headers))
  }
  for (const host of ['http://rebound.example:8123', 'http://192.168.1.2:9000', 'https://192.168.1.2:8123']) {
    assert.is((await app(new Request(`${host}/${token}/trial`))).status, 403, host)
  }
  assert.is((await app(new Request(`http://10.0.0.2:8123/${token}/trial`))).status, 200)
})

test('what goes wrong inside is not told', async () => {
  const { get } = open({
    async readFile() {
      throw new Error('EIO: /home/someone/photo.jpg')
    },
  })
  const response = await get(`files/${trial.variants[0]?.file}`)
  assert.is(response.status, 500)
  assert.not.match(await response.text(), /EIO|home/)
})
