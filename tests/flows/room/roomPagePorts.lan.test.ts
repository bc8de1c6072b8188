import { createLanAnnouncer } from '#core/adapters/lan/lanAnnouncer'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { browserPath, WHY_NO_BROWSER } from '#support/browser/browser'
import { browserOfSuite, choose, says } from '#support/browser/browserOfSuite'
import { startRoomProcess } from '#support/room/roomProcess'
import { startMuteServer } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('the room page and ports that are no worlds', { timeoutMs: 120_000 })
const inBrowser = test.skipUnless(browserPath, WHY_NO_BROWSER)

const { open, closing } = browserOfSuite(test)

const words = {
  manual: 'My world is not in the list',
  port: 'Port of the world',
  open: 'Open a room',
  own: 'This port is used by Lantern Room itself',
  unverified: /A world is announced on port \d+, but what is there does not answer like a game/,
  running: 'Your room is open.',
}

inBrowser('own ports are refused and doubtful worlds are offered', async () => {
  const room = await startRoomProcess()
  closing.push(room.close)
  const page = await open(room.url)
  await choose(page, 'host')
  await page.getByText(words.manual).click()
  await page.getByLabel(words.port).fill(new URL(room.url).port)
  await page.getByRole('button', { name: words.open, exact: true }).click()
  await says(page, words.own)
  assert.is((await room.status()).state, 'Idle')

  const { port, close } = await startMuteServer()
  closing.push(close)
  const stop = new AbortController()
  const announcing = createLanAnnouncer({
    interfaces: ['127.0.0.1'],
    clock: createSystemClock(),
    log: silentLog(),
    as: 'game',
  }).announce({ motd: 'Alex - Castle', port }, stop.signal)
  closing.push(async () => {
    stop.abort()
    await announcing
  })
  await page.getByLabel(words.port).fill('')
  await page.getByRole('button', { name: words.open, exact: true }).click()
  await says(page, words.unverified)
  await page.getByRole('radio', { name: /Alex - Castle/ }).check()
  await says(page, words.running)
  assert.is((await room.status()).gamePort, port)
  // The refusal that was provoked is what browsers complain about.
  assert.ok(
    page.complaints.every((complaint) => complaint.includes('400')),
    page.complaints.join(),
  )
})

test.run()
