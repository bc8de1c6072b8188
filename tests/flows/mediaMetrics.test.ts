import { type ProcessHost, startNodeHost } from '#support/hosts/hosts'
import { mediaFolderOfSuite } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { type Clips, makeClips } from '../contract/http/contract'
import { formOf } from '../contract/http/requests'

const test = suite('metrics and health for operators', { timeoutMs: 120_000 })

const media = await mediaFolderOfSuite()
let clips: Clips
let host: ProcessHost | undefined

test.before(async () => {
  clips = await makeClips(media)
})
test.after.each(async () => {
  await host?.stop()
  host = undefined
})

test('they are on a port of their own, need no token, and count what was made', async () => {
  host = await startNodeHost({ MEDIA_METRICS_PORT: '0', MEDIA_SERVICE_TOKEN: 'a-long-token' })
  const [, url] = await host.server.said(/"metrics are served".*"url":"(http:\/\/127\.0\.0\.1:\d+)"/)
  const read = async () => (await fetch(`${url}/metrics`)).text()
  assert.match(await read(), /^motion_photo_previews_total 0$/m)
  assert.match(await read(), /^motion_photo_ffmpeg_info\{path="[^"]+",version="[^"]+"\} 1$/m)

  const headers = { Authorization: 'Bearer a-long-token' }
  const prepared = await host.send('/prepare', { method: 'POST', body: formOf(clips.gif), headers })
  assert.is(prepared.status, 200)
  await prepared.text()
  assert.is((await host.send('/openapi.json')).status, 401)
  const counted = await read()
  assert.match(counted, /^motion_photo_previews_total 1$/m)
  assert.match(counted, /^motion_photo_upload_bytes_total [1-9]\d*$/m)
  assert.match(counted, /^motion_photo_responses_total\{status="200"\} 1$/m)
  assert.match(counted, /^motion_photo_responses_total\{status="401"\} 1$/m)
  assert.match(counted, /^motion_photo_jobs_running 0$/m)

  const health = await fetch(`${url}/health`)
  assert.equal([health.status, await health.json()], [200, { status: 'ok' }])
  assert.is((await fetch(`${url}/prepare`, { method: 'POST' })).status, 404)
  assert.is((await host.send('/metrics', { headers })).status, 404)
})

test.run()
