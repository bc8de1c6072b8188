import sharp, { type Sharp } from 'sharp'
import * as assert from 'uvu/assert'
import { equalBytes } from '#support/values/equalBytes'
import { BEARER, type Contract } from './contract'
import { bytesOf, postJson, prepared, refused, type Strip } from './requests'

/** The filmstrip of a session, and frames by their number. */
export function frameCases({ test, open, guarded, clips, session }: Contract): void {
  const path = (name: string) => `/sessions/${session().session_id}/${name}`
  const ask = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
    open().send(path(name), { method, headers })
  const sizeOf = async (jpeg: Uint8Array) => {
    await sharp(jpeg, { failOn: 'warning' }).raw().toBuffer()
    const { format, width, height } = await sharp(jpeg).metadata()
    return [format, width, height]
  }
  const strip = (): Strip => {
    const found = session().strip
    if (!found) throw new Error('The session has no filmstrip.')
    return found
  }

  test('the filmstrip is one JPEG with the rows that the session tells of', async () => {
    const { row_height, tile_width, tiles, url } = strip()
    assert.is(url, `${open().url}${path('strip.jpg')}`)
    const size = await sizeOf(await bytesOf(await ask('strip.jpg')))
    assert.equal(size, ['jpeg', tile_width, row_height * tiles])
  })

  test('filmstrip and frames may be kept for ever, and are not sent again', async () => {
    for (const name of ['strip.jpg', 'frames/7.jpg', 'frames/7.jpg?width=160', 'frames/10.jpg?width=160']) {
      const get = await ask(name)
      const bytes = await bytesOf(get)
      const head = await ask(name, {}, 'HEAD')
      assert.is(await head.text(), '')
      for (const response of [get, head]) {
        assert.is(response.status, 200, name)
        assert.is(response.headers.get('Content-Type'), 'image/jpeg')
        assert.is(response.headers.get('Content-Length'), String(bytes.length))
        assert.is(response.headers.get('Cache-Control'), 'private, max-age=31536000, immutable')
        assert.is(response.headers.get('Cross-Origin-Resource-Policy'), 'cross-origin')
        assert.is(response.headers.get('X-Content-Type-Options'), 'nosniff')
      }
      const etag = get.headers.get('ETag') ?? ''
      assert.match(etag, /^"[^"]+"$/)
      for (const value of [etag, `W/${etag}`, '*']) {
        const again = await ask(name, { 'If-None-Match': value })
        assert.is(again.status, 304, `${name} ${value}`)
        assert.is(await again.text(), '')
        assert.is(again.headers.get('ETag'), etag)
      }
      equalBytes(await bytesOf(await ask(name, { 'If-None-Match': '"other"' })), bytes)
    }
    const tags = await Promise.all(
      ['strip.jpg', 'frames/7.jpg', 'frames/8.jpg', 'frames/7.jpg?width=80'].map(async (name) =>
        (await ask(name, {}, 'HEAD')).headers.get('ETag'),
      ),
    )
    assert.is(new Set(tags).size, 4)
  })

  test('a frame is the thumbnail of its time, in any width', async () => {
    for (const [frame, width] of [
      [0, undefined],
      [37, 100],
      [35, 160],
      [59, 1920],
    ] as const) {
      const query = width === undefined ? '' : `?width=${width}`
      const jpeg = await bytesOf(await ask(`frames/${frame}.jpg${query}`))
      const { session_id } = session()
      const request = { session_id, timestamp: frame / 30, ...(width !== undefined && { width }) }
      equalBytes(jpeg, await bytesOf(await postJson(open(), '/thumbnail', request)), `${frame} ${width}`)
      const shown = Math.min(320, width ?? 320)
      assert.equal(await sizeOf(jpeg), ['jpeg', shown, (shown * 3) / 4])
    }
  })

  test('a frame in the width of a tile is that tile', async () => {
    const whole = await bytesOf(await ask('strip.jpg'))
    const { tile_width: width, tile_height: height, row_height, interval } = strip()
    const tile = await bytesOf(await ask(`frames/${2 * interval}.jpg?width=${width}`))
    const pixels = async (image: Sharp) => image.raw().toBuffer()
    const left = await pixels(sharp(tile).extract({ left: 0, top: 2, width, height: height - 4 }))
    const region = { left: 0, top: 2 * row_height + 2, width, height: height - 4 }
    equalBytes(left, await pixels(sharp(whole).extract(region)))
  })

  test('a frame outside the preview is 422, a name that is no frame 404, a wrong width 422', async () => {
    for (const frame of [60, 61, 999_999_999])
      await refused(ask(`frames/${frame}.jpg`), 422, /has the frames 0 to 59/)
    for (const name of '-1.jpg 1.5.jpg 01.jpg x.jpg .jpg 1 1.png 1e1.jpg 9999999999.jpg'.split(' '))
      await refused(ask(`frames/${name}`), 404)
    for (const width of ['15', '1921', '1.5', 'x', '', '-20', '1e2', '99999'])
      await refused(ask(`frames/1.jpg?width=${width}`), 422, /width must be/)
    await refused(ask('frames/60.jpg', { 'If-None-Match': '*' }), 422)
  })

  test('a session that does not exist has neither', async () => {
    for (const id of ['0'.repeat(32), 'x', session().session_id.toUpperCase().replace(/^\d+$/, 'x')])
      for (const name of ['strip.jpg', 'frames/0.jpg'])
        await refused(open().send(`/sessions/${id}/${name}`, { headers: { 'If-None-Match': '*' } }), 404)
  })

  test('they need no token, as <img> cannot send one, but a wrong one is 401', async () => {
    const { session_id } = await prepared(guarded(), clips().gif, { headers: BEARER })
    for (const name of ['strip.jpg', 'frames/0.jpg']) {
      const at = `/sessions/${session_id}/${name}`
      const response = await guarded().send(at)
      assert.is(response.status, 200, name)
      await response.arrayBuffer()
      await refused(guarded().send(at, { headers: { Authorization: 'Bearer wrong' } }), 401)
    }
    await refused(guarded().send(`/sessions/${session_id}`), 401)
  })
}
