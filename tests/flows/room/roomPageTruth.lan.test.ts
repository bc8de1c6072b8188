import { accessProblems } from '#support/browser/browser'
import { choose, says } from '#support/browser/browserOfSuite'
import { button, chooseWorld, roomPageSuite } from '#support/browser/roomPageSuite'
import { freePort } from '#support/process/serverProcess'
import { assert } from '#support/runner/suite'

// What the room page claims and offers while something goes wrong, against services that are killed and started again.

const suiteOfPage = roomPageSuite('the room page tells the truth')
const { test, inBrowser, open, startRoom, openWorld, makeFolder } = suiteOfPage

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
})

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
