import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accessProblems } from '#support/browser/browser'
import { choose, says } from '#support/browser/browserOfSuite'
import { button, chooseWorld, roomPageSuite } from '#support/browser/roomPageSuite'
import { startRelayProcess } from '#support/network/relayProcess'
import { freePort } from '#support/process/serverProcess'
import { assert } from '#support/runner/suite'

// What the room page claims and offers while something goes wrong, against services that are killed and started again.

const suiteOfPage = roomPageSuite('the room page tells the truth')
const { test, inBrowser, open, closing, startRoom, openWorld, makeFolder } = suiteOfPage

/** A service that can be killed and started again at its place. */
async function startPlace(more: Record<string, string> = {}) {
  const dataDir = await makeFolder('room-truth')
  const settings = { ROOM_PORT: String(await freePort()), ...more }
  return (changed: Record<string, string> = {}) =>
    startRoom({ settings: { ...settings, ...changed }, dataDir })
}

const CHINESE = {
  hosting: '房间已创建',
  inside: '已加入！',
  open: '创建房间',
  offer: '程序结束时，你的房间还开着。',
  again: '用同一个房间码重新创建',
  guestOffer: '程序结束时，你还在房间里。',
  join: '重新加入',
  forget: '不再需要',
}

inBrowser('after a crash the room opens again when the player wants it', async () => {
  const [locale, words] = ['zh-CN', CHINESE] as const
  await openWorld({ announced: true, motd: 'Alex - Castle' })
  const [startHost, startGuest] = [await startPlace(), await startPlace()]
  const [first, guest] = [await startHost(), await startGuest()]
  const page = await open(first.url, { locale })
  await chooseWorld(page)
  await button(page, words.open).click()
  await says(page, words.hosting)
  const { roomCode } = await first.status()
  const guestPage = await open(guest.url, { locale })
  await choose(guestPage, 'guest')
  await guestPage.locator('textarea').fill(roomCode ?? '')
  await guestPage.locator('textarea').press('Enter')
  await says(guestPage, words.inside)

  await Promise.all([first.kill(), guest.kill()])
  await page.locator('.parts[inert]').waitFor()
  assert.is(await page.getByText(words.hosting).count(), 0)
  const [second, secondGuest] = [await startHost(), await startGuest()]
  await says(page, words.offer)
  assert.equal(await accessProblems(page), [])
  assert.is((await second.status()).state, 'Idle')
  // The same room is not offered a second time.
  assert.is(await page.locator('.saved li').count(), 0)
  // An answer that is older than the room that is open again.
  await page.route('**/room/kept', (route) => route.fulfill({ json: { role: 'host', roomCode } }))
  await button(page, words.again).click()
  await says(page, words.hosting)
  assert.is((await second.status()).roomCode, roomCode)
  await says(guestPage, words.guestOffer)
  await button(guestPage, words.join).click()
  await says(guestPage, words.inside)

  await secondGuest.kill()
  await guestPage.locator('.parts[inert]').waitFor()
  await startGuest()
  await button(guestPage, words.forget).click()
  await guestPage.getByText(words.guestOffer).waitFor({ state: 'detached' })
  await guestPage.reload()
  await choose(guestPage, 'guest')
  assert.is(await guestPage.getByText(words.guestOffer).count(), 0)
  // A room that the host has closed is one of before, and not one that a crash has left.
  await second.ask('/room/stop', {})
  await page.locator('.saved li').waitFor()
  assert.is(await page.getByText(words.offer).count(), 0)
})

inBrowser(
  'a world that is closed is told within three seconds, and its colour is not that of an open room',
  async () => {
    const world = await openWorld({ announced: true, motd: 'Alex - Castle' })
    const room = await (await startPlace())()
    const page = await open(room.url)
    await chooseWorld(page)
    await button(page, 'Open a room').click()
    await page.locator('.status.good').waitFor()
    const guest = await (await startPlace())()
    const guestPage = await open(guest.url)
    await guest.join((await room.status()).roomCode ?? '', 'Steve')
    await guestPage.locator('.how').waitFor()
    const closedAt = performance.now()
    await world.close()
    await says(page, 'Your world has closed.')
    const tookMs = performance.now() - closedAt
    assert.ok(tookMs < 3000, `${tookMs} ms`)
    // It is announced a little longer, and must not be offered.
    assert.is(await page.locator('.world').count(), 0)
    // A guest is not led to a world that is not there.
    await says(guestPage, 'The world is closed.')
    assert.is(await guestPage.locator('.how').count(), 0)
    assert.ok(await page.locator('.status.warn').isVisible())
    assert.equal([...(await accessProblems(page)), ...(await accessProblems(guestPage))], [])
    await room.kill()
    // Wherever the page is scrolled to.
    await page.setViewportSize({ width: 360, height: 640 })
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    const banner = page.locator('.status.away').getByText('The program does not answer')
    await banner.waitFor()
    const box = await banner.boundingBox()
    assert.ok(box && box.y >= 0 && box.y + box.height < 640, JSON.stringify(box))
  },
)

inBrowser(
  'a guest who is there before the host waits on one press, and is named as in the game',
  async () => {
    const home = await makeFolder('room-home')
    const logs = join(home, '.minecraft', 'logs')
    await mkdir(logs, { recursive: true })
    await writeFile(join(logs, 'latest.log'), '[Render thread/INFO]: Setting user: Steve\n')
    const node = await startRelayProcess()
    closing.push(node.close)
    const room = await (await startPlace({ HOME: home, ROOM_NODES: node.url }))()
    const page = await open(room.url)
    await choose(page, 'guest')
    await page.locator('.player-name.known').waitFor()
    assert.is(await page.getByLabel('Your name').inputValue(), 'Steve')
    await page.getByLabel('Room code').fill('U/YNZE-U61D-2206-HXRG')
    const pressedAt = performance.now()
    await button(page, 'Join').click()
    await button(page, 'Wait until it opens').waitFor()
    assert.ok(performance.now() - pressedAt < 6000)
    assert.equal(await accessProblems(page), [])
    await button(page, 'Wait until it opens').click()
    await says(page, 'Waiting for your friend to open the room')
    assert.is((await room.status()).hintCode, 'awaiting-room')
  },
)

inBrowser('of several worlds on this computer the player chooses', async () => {
  await openWorld({ announced: true, motd: 'Alex - Castle' })
  const second = await openWorld({ announced: true, motd: 'Alex - Lighthouse' })
  const room = await (await startPlace())()
  const page = await open(room.url)
  await choose(page, 'host')
  await page.locator('.world').nth(1).waitFor()
  await button(page, 'Open a room').click()
  await says(page, 'Several worlds are open on this computer: choose the one to share.')
  assert.equal(await accessProblems(page), [])
  assert.is((await room.status()).state, 'Idle')
  // The keyboard is where the choice is.
  assert.is(await page.evaluate('document.activeElement.type'), 'radio')
  await page.getByRole('radio', { name: /Lighthouse/ }).check()
  await button(page, 'Open a room').click()
  await says(page, 'Your room is open.')
  assert.is((await room.status()).gamePort, second.port)
})

inBrowser(
  'nothing is offered to copy before it works, and a failed step is the one that failed',
  async () => {
    const room = await (await startPlace({ ROOM_NODES: 'tcp://127.0.0.1:1' }))()
    const page = await open(room.url)
    await room.host('Alex', { gamePort: '1' })
    await says(page, 'Looking for your world')
    assert.is(await page.locator('.code').count(), 0)
    await button(page, 'Cancel').click()
    await room.join('U/YNZE-U61D-2206-HXRG', 'Steve')
    await page.locator('.steps .failed').waitFor()
    assert.is(await page.locator('.steps .failed .step-name').innerText(), 'Connect')
  },
)

inBrowser('a reload and a look at the other form lose nothing of what was typed and ticked', async () => {
  const page = await open((await (await startPlace())()).url)
  await choose(page, 'host')
  await page.getByText('More', { exact: true }).click()
  await page.getByLabel('Private room').check()
  await choose(page, 'guest')
  await page.getByLabel('Room code').fill('U/YNZE-U61D-2206-HXRG')
  await page.reload()
  assert.is(await page.getByLabel('Room code').inputValue(), 'U/YNZE-U61D-2206-HXRG')
  await choose(page, 'host')
  assert.ok(await page.getByLabel('Private room').isChecked())
})

inBrowser(
  'a name that is too long, and what another tab has done, are told where they were pressed',
  async () => {
    const room = await (await startPlace())()
    const [page, other] = [await open(room.url), await open(room.url)]
    await choose(page, 'host')
    await choose(other, 'host')
    await page.getByLabel('Your name').fill('x'.repeat(300))
    await says(page, 'A name has at most 64 characters; this one has 300.')
    await button(page, 'Open a room').click()
    assert.is(await page.evaluate('document.activeElement.className'), 'player-name')
    assert.equal(await accessProblems(page), [])
    assert.is((await room.status()).state, 'Idle')
    await page.getByLabel('Your name').fill('Alex')
    // The other tab has not heard yet.
    await other.route('**/room/status', (route) => route.abort())
    await room.host('Alex', { gamePort: '1' })
    await button(other, 'Open a room').click()
    await other.locator('form').getByText('This has changed meanwhile').waitFor()
  },
)

inBrowser('a token that has expired and a service of another version are told', async () => {
  const start = await startPlace({ ROOM_API_TOKEN: 'first-token' })
  const room = await start()
  const page = await open(`${room.url}/#token=first-token`)
  await says(page, 'Play together')
  await room.kill()
  await start({ ROOM_API_TOKEN: 'second-token' })
  await says(page, 'That token is not right, or no longer')
  await page.getByLabel('Token').fill('second-token')
  await page.getByRole('button', { name: 'Continue' }).click()
  await says(page, 'Play together')

  await page.route('**/meta', (route) => route.fulfill({ json: { version: '9.9.9' } }))
  await page.reload()
  await says(page, 'The program has another version than this page now.')
  assert.equal(await accessProblems(page), [])
})

test.run()
