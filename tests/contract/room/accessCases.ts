import * as assert from 'uvu/assert'
import { NOBODYS_CODE, refused, stateOf } from './asking'
import { GUARD, type RoomContract } from './roomContract'

const BEARER = { Authorization: `Bearer ${GUARD.token}` }
const EFFECTS = [
  '/state/scanning?player=Alex',
  `/state/guesting?room=${encodeURIComponent(NOBODYS_CODE)}`,
  '/state/ide',
  '/doctor',
  '/report',
]
/** Without an effect: HEAD is answered as well. */
const RECORDS = '/meta /state /room/status /game/servers /config /openapi.json /'.split(' ')
const PLAIN = [...RECORDS, '/log', '/doctor', '/report', '/nothing']

/** Who may ask, and how. */
export function accessCases({ test, one, guarded }: RoomContract): void {
  const portOf = (url: string) => new URL(url).port

  test('a foreign Host is refused, and every name of loopback is taken', async () => {
    const port = portOf(one().url)
    const names = `evil.example evil.example:${port} 127.0.0.1.evil.example localhost.evil.example:${port}`
    const others = ['192.168.1.5', '0.0.0.0', '[::2]', 'xlocalhost', '127.0.0.1@evil.example']
    for (const host of [...names.split(' '), ...others])
      for (const path of host === 'evil.example' ? [...PLAIN, ...EFFECTS] : EFFECTS)
        await refused(one().send(path, { headers: { Host: host } }), host.includes('@') ? hostStatus() : 403)
    for (const host of ['127.0.0.1', `127.1.2.3:${port}`, `localhost:${port}`, 'LocalHost', `[::1]:${port}`])
      assert.is((await one().send('/meta', { headers: { Host: host } })).status, 200, host)
  })

  test('a foreign Origin is refused, null as well; the own one is taken', async () => {
    const port = portOf(one().url)
    const foreign = ['https://evil.example', 'null', 'file://', 'http://localhost:1', GUARD.origin]
    const alike = [`https://127.0.0.1:${port}`, `http://127.0.0.1:${port}.evil.example`]
    for (const origin of [...foreign, ...alike]) {
      for (const path of origin === 'null' ? [...PLAIN, ...EFFECTS] : EFFECTS) {
        const answer = one().send(path, { headers: { Origin: origin } })
        await refused(answer, 403, /may not use this service/)
        assert.is((await answer).headers.get('Access-Control-Allow-Origin'), null)
      }
      const post = { method: 'POST', headers: { Origin: origin, 'Content-Type': 'text/plain' }, body: '{}' }
      for (const path of ['/room/host/start', '/room/stop', '/config/nodes', '/shutdown'])
        await refused(one().send(path, post), 403)
    }
    const own = { Origin: `http://127.0.0.1:${port}`, Host: `127.0.0.1:${port}` }
    assert.is((await one().send('/state', { headers: own })).status, 200)
    assert.is((await stateOf(one())).state, 'waiting')
  })

  test('what a foreign page makes a browser load is refused', async () => {
    for (const site of ['cross-site', 'same-site', 'anything'])
      for (const path of [...PLAIN, ...EFFECTS])
        await refused(one().send(path, { headers: { 'Sec-Fetch-Site': site } }), 403, /another web page/)
    for (const site of ['none', 'same-origin'])
      assert.is((await one().send('/state', { headers: { 'Sec-Fetch-Site': site } })).status, 200)
    assert.is((await stateOf(one())).state, 'waiting')
  })

  test('a foreign Referer is refused where a GET has an effect', async () => {
    const port = portOf(one().url)
    const foreign = ['https://evil.example/page?x=1', 'http://localhost:1/', 'tauri://localhost/']
    const odd = [`http://127.0.0.1:${port}.evil.example/`, 'about:blank', 'nonsense']
    for (const referer of [...foreign, ...odd]) {
      for (const path of EFFECTS)
        await refused(one().send(path, { headers: { Referer: referer } }), 403, /ROOM_ALLOWED_ORIGINS/)
      assert.is((await one().send('/state', { headers: { Referer: referer } })).status, 200)
    }
    assert.is((await stateOf(one())).state, 'waiting')
    const own = { Referer: `http://127.0.0.1:${port}/`, Host: `127.0.0.1:${port}` }
    assert.is((await one().send('/state/ide', { headers: own })).status, 200)
    const allowed = { Referer: `${GUARD.origin}/launcher`, ...BEARER }
    assert.is((await guarded().send('/state/ide', { headers: allowed })).status, 200)
  })

  test('with a token everything asks for it', async () => {
    const wrong = [
      {},
      { Authorization: 'Bearer' },
      { Authorization: `Bearer ${GUARD.token}x` },
      { Authorization: `Bearer ${GUARD.token.slice(1)}` },
      { Authorization: `Basic ${GUARD.token}` },
      { Authorization: GUARD.token },
    ]
    for (const headers of wrong) {
      const needing = PLAIN.filter((path) => path !== '/')
      for (const path of [...needing, ...EFFECTS, `/meta?token=${GUARD.token}`])
        await refused(guarded().send(path, { headers }), 401, /token is missing or wrong/)
      for (const path of ['/room/stop', '/room/host/start', '/shutdown'])
        await refused(guarded().send(path, { method: 'POST', headers }), 401)
    }
    for (const Authorization of [BEARER.Authorization, `bearer  ${GUARD.token} `])
      assert.is((await guarded().send('/meta', { headers: { Authorization } })).status, 200)
    await refused(guarded().send('/nothing', { headers: BEARER }), 404)
    // A browser cannot send a header with the address of a page, which holds no secret.
    const page = await guarded().send('/')
    assert.is(page.status, 200)
    assert.not.ok((await page.text()).includes(GUARD.token))
  })

  test('an allowed origin may read what it asks for, refusals too', async () => {
    const asked = { Origin: GUARD.origin, 'Sec-Fetch-Site': 'cross-site' }
    const taken = await guarded().send('/state', { headers: { ...asked, ...BEARER } })
    assert.is(taken.status, 200)
    assert.is(taken.headers.get('Access-Control-Allow-Origin'), GUARD.origin)
    assert.match(taken.headers.get('Vary') ?? '', /\bOrigin\b/i)
    const answer = guarded().send('/state', { headers: asked })
    await refused(answer, 401)
    assert.is((await answer).headers.get('Access-Control-Allow-Origin'), GUARD.origin)
  })

  test('the preflight of an allowed origin needs no token; that of another one is refused', async () => {
    const preflight = (origin: string) => ({
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    })
    const answer = await guarded().send('/room/host/start', preflight(GUARD.origin))
    assert.is(answer.status, 204)
    assert.is(answer.headers.get('Access-Control-Allow-Origin'), GUARD.origin)
    assert.match(answer.headers.get('Access-Control-Allow-Methods') ?? '', /\bPOST\b/)
    assert.match(answer.headers.get('Access-Control-Allow-Headers') ?? '', /authorization.*content-type/i)
    for (const target of [guarded(), one()]) {
      const foreign = target.send('/room/host/start', preflight('https://evil.example'))
      await refused(foreign, 403)
      assert.is((await foreign).headers.get('Access-Control-Allow-Origin'), null)
    }
  })

  test('HEAD is answered on GETs that change nothing, and refused on the others', async () => {
    for (const path of RECORDS) {
      const head = await one().send(path, { method: 'HEAD' })
      assert.is(head.status, 200, path)
      assert.is(await head.text(), '')
    }
    for (const path of [...EFFECTS, '/state/%73canning', '/state/scanning?']) {
      const head = await one().send(path, { method: 'HEAD' })
      assert.is(head.status, 405, path)
      assert.is(head.headers.get('Allow'), 'GET, OPTIONS')
    }
    assert.is((await stateOf(one())).state, 'waiting')
  })

  test('a plain GET of /ws is told to upgrade', async () => {
    const answer = one().send('/ws')
    await refused(answer, 426, /WebSocket/)
    assert.is((await answer).headers.get('Upgrade'), 'websocket')
  })

  /** On the wire that is no host name at all; the app itself sees a foreign one. */
  function hostStatus(): number {
    return one().url.endsWith(':5062') ? 403 : 400
  }
}
