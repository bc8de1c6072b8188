import * as assert from 'uvu/assert'
import { BEARER, type Contract, GUARD } from './contract'
import { failedFor, prepared, refused } from './requests'

/** Other origins, and the token. */
export function accessCases({ test, traits, open, guarded, clips, session }: Contract): void {
  const exposed = 'Accept-Ranges Content-Range Content-Length Content-Disposition ETag Retry-After'.split(' ')
  const from = (origin: string) => ({ Origin: origin })
  const words = (response: Response, name: string) =>
    (response.headers.get(name) ?? '').split(',').map((word) => word.trim())
  const ours = test.skipUnless(traits.noOrigins === undefined, traits.noOrigins ?? '')

  test('every origin may read every answer, errors too, with credentials', async () => {
    const { session_id } = session()
    const paths = ['/health', '/openapi.json', '/nothing', '/convert', '/preview/x.mp4']
    for (const path of [...paths, `/preview/${session_id}.mp4`, `/sessions/${session_id}`])
      for (const origin of ['https://page.example.com', 'http://localhost:5173', 'null']) {
        const response = await open().send(path, { headers: from(origin) })
        await response.arrayBuffer()
        assert.is(response.headers.get('Access-Control-Allow-Origin'), origin, path)
        assert.is(response.headers.get('Access-Control-Allow-Credentials'), 'true', path)
        assert.ok(words(response, 'Vary').includes('Origin'), `${path}: ${words(response, 'Vary')}`)
        for (const header of exposed)
          assert.ok(words(response, 'Access-Control-Expose-Headers').includes(header))
      }
  })

  test('a preflight allows any method and any headers', async () => {
    const paths = ['/prepare', '/convert', '/thumbnail', '/cleanup', '/health']
    const wanted = ['authorization', 'content-type', 'x-anything']
    for (const path of [...paths, `/preview/${session().session_id}.mp4`])
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD']) {
        const response = await open().send(path, {
          method: 'OPTIONS',
          headers: {
            ...from('https://page.example.com'),
            'Access-Control-Request-Method': method,
            'Access-Control-Request-Headers': wanted.join(', '),
          },
        })
        assert.ok([200, 204].includes(response.status), `${response.status}`)
        assert.is(await response.text(), '')
        assert.is(response.headers.get('Access-Control-Allow-Origin'), 'https://page.example.com')
        assert.is(response.headers.get('Access-Control-Allow-Credentials'), 'true')
        assert.ok(words(response, 'Access-Control-Allow-Methods').includes(method))
        assert.equal(words(response, 'Access-Control-Allow-Headers'), wanted)
        assert.ok(words(response, 'Vary').includes('Origin'))
      }
  })

  ours('without an Origin nothing is allowed to anybody, and caches still know of it', async () => {
    const response = await open().send('/health')
    assert.is(response.headers.get('Access-Control-Allow-Origin'), null)
    assert.ok(words(response, 'Vary').includes('Origin'))
  })

  test('an allowed origin is allowed, for GET, POST, HEAD and OPTIONS', async () => {
    for (const origin of [GUARD.origin, 'https://other.example.com']) {
      const headers = { ...from(origin), 'Access-Control-Request-Method': 'POST' }
      const response = await guarded().send('/prepare', { method: 'OPTIONS', headers })
      assert.ok(response.ok, 'without a token')
      assert.is(response.headers.get('Access-Control-Allow-Origin'), origin)
      assert.equal(words(response, 'Access-Control-Allow-Methods').sort(), ['GET', 'HEAD', 'OPTIONS', 'POST'])
    }
  })

  ours('another origin is not', async () => {
    const foreign = ['https://evil.example.com', `${GUARD.origin}.evil.com`, 'http://app.example.com', 'null']
    for (const origin of foreign)
      for (const method of ['OPTIONS', 'GET']) {
        const headers = { ...from(origin), 'Access-Control-Request-Method': 'POST' }
        const response = await guarded().send('/health', { method, headers })
        await response.arrayBuffer()
        assert.is(response.headers.get('Access-Control-Allow-Origin'), null, origin)
        assert.ok(words(response, 'Vary').includes('Origin'))
      }
  })

  test('without the token everything is 401, for every origin that is allowed to read it', async () => {
    const requests = {
      GET: `/health /openapi.json /nothing /sessions/${session().session_id}`,
      POST: '/prepare /convert /thumbnail /cleanup /inspect /extract /repair',
      DELETE: '/health',
    }
    for (const [method, paths] of Object.entries(requests))
      for (const path of paths.split(' ')) {
        const response = await guarded().send(path, { method, headers: from(GUARD.origin) })
        assert.is(response.headers.get('Access-Control-Allow-Origin'), GUARD.origin)
        await refused(response, 401, /Bearer/)
      }
    const head = await guarded().send('/health', { method: 'HEAD' })
    assert.is(head.status, 401)
    assert.is(head.headers.get('WWW-Authenticate'), 'Bearer')
    assert.is(await head.text(), '')
  })

  test('a wrong token is 401, however it is wrong', async () => {
    const { token } = GUARD
    const wrong = [
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${token} ${token}`,
      `Bearer ${token}, Bearer x`,
      'Bearer',
      'Bearer  ',
      `Basic ${token}`,
      token,
      `Basic ${Buffer.from(`user:${token}`).toString('base64')}`,
    ]
    for (const Authorization of wrong) {
      const answer = guarded().send('/health', { headers: { Authorization } })
      await refused(answer, 401).catch(failedFor(Authorization))
    }
  })

  test('with the token everything works', async () => {
    for (const Authorization of [BEARER.Authorization, `bearer ${GUARD.token}`, `BEARER   ${GUARD.token}`])
      assert.is((await guarded().send('/health', { headers: { Authorization } })).status, 200, Authorization)
    await refused(guarded().send('/nothing', { headers: BEARER }), 404)
    assert.is((await guarded().send('/openapi.json', { headers: BEARER })).status, 200)
  })

  test('a preview needs no token, since a video tag cannot send one; a wrong one is refused all the same', async () => {
    const { session_id } = await prepared(guarded(), clips().silent, { headers: BEARER })
    const path = `/preview/${session_id}.mp4`
    for (const method of ['GET', 'HEAD']) {
      const statusWith = async (headers: Record<string, string>) => {
        const response = await guarded().send(path, { method, headers })
        await response.arrayBuffer()
        return response.status
      }
      assert.is(await statusWith({}), 200)
      assert.is(await statusWith(BEARER), 200)
      assert.is(await statusWith({ Authorization: 'Bearer wrong-token' }), 401)
    }
    await refused(guarded().send('/preview/x.mp4'), 404)
  })

  test('without a token set, one that is sent is not looked at', async () => {
    assert.is((await open().send('/health', { headers: { Authorization: 'Bearer whatever' } })).status, 200)
  })
}
