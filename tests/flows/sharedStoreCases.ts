import { type ProcessHost, startNodeHost } from '#support/hosts/hosts'
import { mediaFolderOfSuite } from '#support/media/media'
import type { Settings } from '#support/process/serverProcess'
import { clockAhead } from '#support/process/wrongClock'
import { assert, suite } from '#support/runner/suite'
import { until } from '#support/values/until'
import { type Clips, makeClips } from '../contract/http/contract'
import { jsonOf, prepared, prepareUpload, refused, uploaded } from '../contract/http/requests'

const HOUR_MS = 3_600_000
const DAY_SECONDS = 86_400

/**
 * Hosts with different clocks and settings, each a process, on one store.
 * @param shared the settings that a new, empty store needs
 * @param keys what is stored in it
 * @param isShort leaves out what another store has shown, and what does not depend on which it is
 */
export function sharedStoreCases(
  name: string,
  shared: () => Promise<{ readonly settings: Settings; keys(): Promise<readonly string[]> }>,
  { isShort = false } = {},
): void {
  const test = suite(`hosts that share ${name}`, { timeoutMs: 240_000 })
  const hosts: ProcessHost[] = []
  let clips: Clips
  let store: Awaited<ReturnType<typeof shared>>

  const media = mediaFolderOfSuite()
  test.before(async () => {
    clips = await makeClips(await media)
  })
  test.before.each(async () => {
    store = await shared()
  })
  test.after.each(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.stop()))
  })

  async function start(settings: Settings = {}): Promise<ProcessHost> {
    const host = await startNodeHost({ ...store.settings, ...settings })
    hosts.push(host)
    return host
  }

  async function metricsOf({ server }: ProcessHost) {
    const [, url = ''] = await server.said(/"metrics are served".*"url":"(http:[^"]+)"/)
    return async (path: string) => (await fetch(`${url}${path}`)).text()
  }

  const asked = async (host: ProcessHost, id: string) => {
    const response = await host.send(`/sessions/${id}`)
    assert.is(response.status, 200, await response.clone().text())
    return jsonOf<{ expires_at: number; created_at: number }>(response)
  }
  const sessionKeys = async () => (await store.keys()).filter((key) => key.startsWith('sessions/')).sort()

  const clocks: readonly (readonly [string, number])[] = [
    ['a day and an hour ahead', 25 * HOUR_MS],
    ['a day and an hour behind', -25 * HOUR_MS],
  ]
  for (const [how, aheadMs] of isShort ? clocks.slice(0, 1) : clocks)
    test(`a host whose clock is ${how} removes nothing, and serves and makes sessions as the others`, async () => {
      const right = await start()
      const session = await prepared(right, clips.gif)
      const upload = await uploaded(right, clips.gif, 'image/gif')
      const before = await sessionKeys()

      const wrong = await start({ ...clockAhead(aheadMs), MEDIA_METRICS_PORT: '0' })
      const read = await metricsOf(wrong)
      await until('its sweep is over', async () =>
        /^motion_photo_sweeps_skipped_total 1$/m.test(await read('/metrics')),
      )
      const direction = aheadMs > 0 ? 'ahead of' : 'behind'
      assert.match(
        wrong.server.stderr(),
        new RegExp(`"warn".*25 h ${direction} the clock of the storage.*NTP.*removes nothing`),
      )
      const [, ahead] = /^motion_photo_clock_ahead_seconds (-?\d+)$/m.exec(await read('/metrics')) ?? []
      assert.ok(Math.abs(Number(ahead) - aheadMs / 1000) <= 60, ahead)
      assert.match(await read('/health'), /"status":"ok","clock":"It is 25 h/)

      assert.equal(await sessionKeys(), before)
      assert.is((await asked(wrong, session.session_id)).expires_at, session.expires_at)
      assert.is((await wrong.send(`/preview/${session.session_id}.mp4`)).status, 200)
      assert.is((await prepareUpload(wrong, upload)).status, 200, 'an upload is not over by its clock')

      const ownUpload = await uploaded(wrong, clips.gif, 'image/gif')
      const own = await jsonOf<{ session_id: string }>(await prepareUpload(wrong, ownUpload))
      const seen = await asked(right, own.session_id)
      assert.ok(Math.abs(seen.created_at - Date.now() / 1000) < 120, 'made at the time of the store')
      assert.is(seen.expires_at - seen.created_at, DAY_SECONDS)
    })

  const whole = test.skipUnless(!isShort, 'the same as with a folder')
  whole('a session lives as long as the host said that made it, whatever the others are set to', async () => {
    const long = await start()
    const lasting = await prepared(long, clips.gif)
    const short = await start({ SESSION_TTL_SECONDS: '1' })
    const [first, second] = [await prepared(short, clips.gif), await prepared(short, clips.silent)]
    await until('they have expired', () => Date.now() > second.expires_at * 1000)

    assert.is((await asked(short, lasting.session_id)).expires_at, lasting.expires_at)
    await refused(long.send(`/sessions/${first.session_id}`), 404, /expired/)
    await short.stop()
    const again = await start({ SESSION_TTL_SECONDS: '1' })
    await again.server.said(/"swept".*"sessions":1\b/)
    assert.equal([...new Set((await sessionKeys()).map((key) => key.split('/')[1]))], [lasting.session_id])
    assert.is((await asked(long, lasting.session_id)).expires_at, lasting.expires_at)
  })

  test('hosts that start at the same time leave no check object behind', async () => {
    await Promise.all([start(), start(), start()])
    const isClean = async () => !(await store.keys()).some((key) => key.startsWith('check'))
    await until('no check object is left', isClean)
  })
  test.run()
}
