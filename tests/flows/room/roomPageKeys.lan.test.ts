import { type OpenPage, tabTo } from '#support/browser/browser'
import { says } from '#support/browser/browserOfSuite'
import { roomPageSuite } from '#support/browser/roomPageSuite'
import { assert } from '#support/runner/suite'

// The room page by keys alone: what is pressed may go away, the focus is never lost, and is marked where a key has moved it.

const suiteOfPage = roomPageSuite('the room page by keys alone')
const { test, inBrowser, open, startRoom, openWorld } = suiteOfPage

async function startHost(order: object = {}) {
  const world = await openWorld({ announced: true, motd: 'Alex - Castle' })
  const room = await startRoom()
  await room.ask('/room/host/start', { playerName: 'Alex', gamePort: world.port, ...order })
  await room.until('Host_Running')
  return { room, page: await open(room.url), code: (await room.status()).roomCode ?? '' }
}

/** Goes to what is to be pressed, which is marked then, and presses it. */
async function press(page: OpenPage, selector: string, key: 'Enter' | 'Space' = 'Enter') {
  await tabTo(page, selector)
  assert.is(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid', selector)
  await page.keyboard.press(key)
}

/** What has the focus, once what had it is gone. */
async function focused(page: OpenPage) {
  await page.locator('#app :focus').waitFor()
  return page.evaluate<string>(
    `(({ tagName, className }) => [tagName.toLowerCase(), className].join(' '))(document.activeElement)`,
  )
}

const ring = (page: OpenPage) => page.evaluate('getComputedStyle(document.activeElement).outlineStyle')

inBrowser('a host copies, lets in, refuses, removes, takes back, and keeps the room open', async () => {
  const { page, code } = await startHost({ approval: true })
  await press(page, '.copies .copy + .copy button')
  await says(page, 'Copied')
  assert.is(await page.evaluate('navigator.clipboard.readText()'), code)
  const [steve, kim] = [await startRoom(), await startRoom()]
  await steve.join(code, 'Steve')
  await page.locator('.requests li').waitFor()
  await kim.join(code, 'Kim')
  await page.locator('.requests li').nth(1).waitFor()
  await press(page, '[aria-label="Let in Steve"]')
  await says(page, 'Steve came in')
  assert.match(await focused(page), /^section requests/)
  assert.is(await ring(page), 'none')
  await press(page, '[aria-label="Refuse Kim"]', 'Space')
  await page.locator('.others').waitFor()
  await focused(page)
  await page.locator('.requests').waitFor({ state: 'detached' })
  assert.match(await focused(page), /^main/)
  await press(page, '[aria-label^="Remove Steve"]')
  await says(page, 'Steve was removed')
  assert.match(await focused(page), /^section people/)
  await press(page, '.people .notice button')
  await page.locator('.people .notice').waitFor({ state: 'detached' })
  assert.match(await focused(page), /^section people/)

  await steve.until('Error')
  await steve.ask('/room/stop', {})
  // Taken back is let in.
  await steve.join(code, 'Steve')
  await steve.until('Guest_Running')
  await page.locator('.people li:not(.gone) [aria-label^="Remove Steve"]').waitFor()
  await press(page, '.status-line > button')
  await page.getByRole('alertdialog').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await page.locator('.status-line > button:focus').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('alertdialog').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await says(page, 'Play together')
  await page.locator('.status h2:focus').waitFor()
  assert.is(await ring(page), 'none')
})

inBrowser('a guest joins, leaves, joins an earlier room and forgets it', async () => {
  const { code } = await startHost()
  const page = await open((await startRoom()).url)
  await press(page, '.tile + .tile', 'Space')
  await tabTo(page, 'textarea')
  await page.keyboard.type(code)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await says(page, 'You are in.')
  await page.locator('.status h2:focus').waitFor()
  await press(page, '.status-line > button')
  await press(page, '[aria-label="Join again: Alex"]')
  await says(page, 'You are in.')
  await press(page, '.status-line > button')
  await press(page, '[aria-label="Forget: Alex"]')
  await page.locator('[aria-label="Undo: Alex"]').waitFor()
  assert.match(await focused(page), /^button/)
})

test.run()
