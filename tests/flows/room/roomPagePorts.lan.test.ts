import { accessProblems } from '#support/browser/browser'
import { says } from '#support/browser/browserOfSuite'
import { roomPageSuite } from '#support/browser/roomPageSuite'
import { assert } from '#support/runner/suite'
import { eventually } from '#support/values/until'

const { test, inBrowser, open, startRoom, openWorld } = roomPageSuite('the room page: ports of the host')

/** No game uses it, and no program of tests. */
const MAP_PORT = 27_199

inBrowser('a guest sees where each port is and why, and says yes to the host’s number', async () => {
  const world = await openWorld()
  const [host, guest] = [await startRoom(), await startRoom()]
  const ports = [
    { name: 'map', tcp: MAP_PORT },
    { name: 'web', tcp: 80 },
  ]
  await host.ask('/room/host/start', { playerName: 'Alex', gamePort: world.port, ports })
  await host.until('Host_Running')
  await guest.join((await host.status()).roomCode ?? '', 'Steve')
  await guest.until('Guest_Running')
  const page = await open(guest.url)
  const chinese = await open(guest.url, { locale: 'zh-CN' })
  await says(page, `At the host ${MAP_PORT}: only numbers of games and voice chat are used here unasked`)
  await says(page, 'At the host 80: this computer needs that number itself')
  await says(chinese, `房主的端口 ${MAP_PORT}：只有游戏和语音聊天的端口号会自动沿用`)
  await says(chinese, '房主的端口 80：这个端口号由本机系统或本程序保留')
  assert.equal(await accessProblems(page), [])

  await chinese.getByRole('button', { name: `在本机沿用 ${MAP_PORT}` }).click()
  await says(page, `TCP 127.0.0.1:${MAP_PORT}`)
  await page.getByRole('button', { name: `Use ${MAP_PORT} here, too` }).waitFor({ state: 'detached' })
  await eventually(
    async () => (await guest.ask('/room/status')).body.keepPorts,
    (kept) => JSON.stringify(kept) === JSON.stringify([MAP_PORT]),
  )
})

test.run()
