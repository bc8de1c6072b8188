import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLanAnnouncer } from '@lantern-room/adapters/lan'
import { createSystemClock } from '@lantern-room/adapters/system'
import { version } from '@lantern-room/base'
import { status as statusTexts } from '@lantern-room/room/words'
import { accessProblems, type OpenPage } from '#support/browser/browser'
import { choose, says } from '#support/browser/browserOfSuite'
import { button, chooseWorld, roomPageSuite } from '#support/browser/roomPageSuite'
import { startRelayProcess } from '#support/network/relayProcess'
import { GAME_SENDER } from '#support/room/gameSender'
import { startMuteServer } from '#support/room/testWorld'
import { assert } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import texts from '../../../local-runner/ui/room/words/page.json'
import refusals from '../../../local-runner/ui/room/words/refusals.json'

// What players need beside opening and joining, as they find it on the page.

const suiteOfPage = roomPageSuite('the room page has what players need')
const { test, inBrowser, open, closing, startRoom, startTarget, openWorld, makeFolder } = suiteOfPage

const shared = async (room: Awaited<ReturnType<typeof startRoom>>) =>
  ((await room.ask('/room/status')).body.ports as { tcp: number | null; udp: number | null }[]).map(
    ({ tcp, udp }) => [tcp, udp],
  )

/** The words of the page in Chinese, in which the rooms of before are tried. */
const locale = 'zh-CN'
const word = (key: keyof typeof texts) => texts[key][1] ?? ''
const told = (key: keyof typeof statusTexts) => statusTexts[key][1] ?? ''
const AGAIN = `${word('savedOpen')}: Castle`
const JOIN_AGAIN = `${word('joinAgain')}: Alex`
const FORGET = `${word('savedForget')}: Castle`
const UNDO = `${word('savedUndo')}: Castle`

/** A host who has opened a room with the world Castle. */
async function hostCastle() {
  const dataDir = await makeFolder('room-saved')
  await openWorld({ announced: true, motd: 'Castle' })
  const host = await startRoom({ dataDir })
  const page = await open(host.url, { locale })
  await choose(page, 'host')
  await page.locator('.player-name').fill('Alex')
  await page.locator('.world input:checked').waitFor()
  await button(page, word('hostButton')).click()
  await says(page, told('sentenceHosting'))
  return { dataDir, host, page, roomCode: (await host.status()).roomCode ?? '' }
}

/** The same host, who has closed the room. */
async function closedCastle() {
  const castle = await hostCastle()
  const { page, roomCode } = castle
  await button(page, told('closeRoom')).click()
  await button(page, AGAIN).waitFor()
  // No secret of a code is shown where a stream may show it.
  assert.not.ok((await page.locator('main').innerText()).includes(roomCode.slice(12)))
  return castle
}

/** A guest who was in the room and has left it. */
async function visit({ page, roomCode }: { readonly page: OpenPage; readonly roomCode: string }) {
  const guestPage = await open((await startRoom()).url, { locale })
  await choose(guestPage, 'guest')
  await guestPage.locator('textarea').fill(roomCode)
  await guestPage.locator('textarea').press('Enter')
  await says(guestPage, told('sentenceInside'))
  await button(guestPage, told('leaveRoom')).click()
  await page.locator('.players li').nth(1).waitFor({ state: 'detached' })
  return guestPage
}

/** The list of a host with a damaged entry, the room of Castle, and one of a guest whose code is not whole. */
async function listOfThree() {
  const { dataDir, host, page } = await closedCastle()
  // The list is complete once what was noted is written.
  await host.ask('/room/saved')
  const file = join(dataDir, 'room', 'saved-rooms.json')
  if (process.platform !== 'win32') assert.is((await stat(file)).mode & 0o777, 0o600)
  const [castle] = JSON.parse(await readFile(file, 'utf8'))
  const damaged = { ...castle, roomCode: 'U/YNZE-U61D-2206-HXRH' }
  const mill = { ...castle, role: 'guest', name: 'Mill', order: { ...castle.order, roomCode: 'U/YNZE' } }
  await writeFile(file, JSON.stringify([damaged, castle, mill]))
  await page.reload()
  await button(page, AGAIN).waitFor()
  return { host, page, saved: async () => (await host.ask('/room/saved')).body }
}

inBrowser('whether a room of before is open is shown before anything is pressed', async () => {
  const castle = await hostCastle()
  const { page, host } = castle
  const guestPage = await visit(castle)
  // It moves nothing, and is not seen by the host.
  const place = await button(guestPage, JOIN_AGAIN).boundingBox()
  await guestPage.locator('.badge.LOCAL', { hasText: word('savedOpenNow') }).waitFor()
  assert.equal(await button(guestPage, JOIN_AGAIN).boundingBox(), place)
  assert.is(await page.locator('.players li').count(), 1)
  assert.equal((await host.status()).guests, [])
  assert.equal(await accessProblems(guestPage), [])
  assert.equal([...page.complaints, ...guestPage.complaints], [])
})

inBrowser('a guest waits for a room of before, and goes in when it is opened again', async () => {
  const castle = await hostCastle()
  const { page, host, roomCode } = castle
  const guestPage = await visit(castle)
  await host.ask('/room/stop', {})
  await button(guestPage, JOIN_AGAIN).click()
  await button(guestPage, word('waitButton')).click()
  await says(guestPage, '正在等朋友创建房间')
  await button(page, AGAIN).click()
  await says(page, told('sentenceHosting'))
  assert.is((await host.status()).roomCode, roomCode)
  await says(guestPage, told('sentenceInside'))
  // Before it leaves: where the host's page has a guest, closing asks first.
  await page.locator('.players li').nth(1).waitFor()
  await button(guestPage, told('leaveRoom')).click()
  await page.locator('.players li').nth(1).waitFor({ state: 'detached' })
  await button(page, told('closeRoom')).click()
  await button(page, AGAIN).waitFor()
  assert.equal([...page.complaints, ...guestPage.complaints], [])
})

inBrowser('of several worlds the host chooses the one of a room of before', async () => {
  const { page, host, roomCode } = await closedCastle()
  await openWorld({ announced: true, motd: 'Alex - Lighthouse' })
  await openWorld({ announced: true, motd: 'Castle' })
  await page.locator('.world').nth(2).waitFor()
  await button(page, AGAIN).click()
  await says(page, word('worldsChoose'))
  assert.equal(await accessProblems(page), [])
  assert.is((await host.status()).state, 'Idle')
  await page
    .locator('.players')
    .getByRole('radio', { name: /Castle/ })
    .first()
    .check()
  await says(page, told('sentenceHosting'))
  assert.is((await host.status()).roomCode, roomCode)
  assert.equal(page.complaints, [])
})

inBrowser('entries of the list that are damaged or not whole are told', async () => {
  const { page } = await listOfThree()
  await says(page, word('savedDamaged'))
  await button(page, `${word('joinAgain')}: Mill`).click()
  await says(page, refusals.roomCode[1] ?? '')
  assert.equal(page.complaints, [])
})

inBrowser('a room of before is forgotten where it stands, and brought back as it was', async () => {
  const { page, saved } = await listOfThree()
  const { rooms } = await saved()
  // It stays where it was, so that nothing else comes under the pointer.
  const places = () => page.locator('.saved li').evaluateAll((rows) => rows.map((row) => row.clientHeight))
  const before = await places()
  await button(page, FORGET).click()
  await button(page, UNDO).waitFor()
  assert.equal(await places(), before)
  assert.equal(await accessProblems(page), [])
  assert.is(((await saved()).rooms as unknown[]).length, 1)
  await button(page, UNDO).click()
  await button(page, AGAIN).waitFor()
  assert.equal(await saved(), { rooms, damaged: 0 })
  assert.equal(page.complaints, [])
})

inBrowser('rooms that are forgotten are gone after a reload, and another tab is told', async () => {
  const { host, page, saved } = await listOfThree()
  const otherTab = await open(host.url, { locale })
  await button(otherTab, AGAIN).waitFor()
  await button(page, FORGET).click()
  await button(page, UNDO).waitFor()
  await page.reload()
  await button(page, `${word('savedForget')}: Mill`).click()
  await button(page, `${word('savedUndo')}: Mill`).waitFor()
  assert.equal(await saved(), { rooms: [], damaged: 0 })
  await button(otherTab, FORGET).click()
  await says(otherTab, refusals['not-found'][1] ?? '')
  assert.equal(page.complaints, [])
})

inBrowser('a guest waits for a friend whose room is not open yet', async () => {
  const guest = await startTarget()
  const page = await open(guest.url)
  await choose(page, 'guest')
  await page.getByLabel('Room code').fill('U/YNZE-U61D-2206-HXRG')
  await page.getByText('More', { exact: true }).click()
  await page.getByLabel('Wait until my friend opens the room').check()
  await button(page, 'Join').click()
  await says(page, 'Waiting for your friend to open the room')
  assert.is(guest.api.roomState.view().failure, null)
})

inBrowser('voice chat that is found is shared by a tick, and another port by its number', async () => {
  const voice = createSocket('udp4').bind(24_454, '127.0.0.1')
  closing.push(async () => voice.close())
  await once(voice, 'listening')
  await openWorld()
  const room = await startRoom()
  const page = await open(room.url)
  await chooseWorld(page)
  await button(page, 'Open a room').click()
  await says(page, 'Your room is open.')
  await page.getByText('Voice chat and more').click()
  assert.equal(await shared(room), [])
  await page.getByLabel('Voice chat').check()
  await page.getByLabel('Another port').fill('8123')
  await button(page, 'Share this port').click()
  await page.getByRole('checkbox', { name: 'Port 8123' }).waitFor()
  assert.equal(await shared(room), [
    [null, 24_454],
    [8123, 8123],
  ])
  assert.equal(await accessProblems(page), [])
  for (const [port, sentence] of [
    [new URL(room.url).port, 'This port cannot be shared: Lantern Room uses it itself'],
    ['70000', 'A port is a whole number from 1 to 65535.'],
  ] as const) {
    await page.getByLabel('Another port').fill(port)
    await button(page, 'Share this port').click()
    await page.locator('details.card', { hasText: 'Voice chat and more' }).getByText(sentence).waitFor()
  }
  await page.getByRole('checkbox', { name: 'Port 8123' }).click()
  await page.getByRole('checkbox', { name: 'Port 8123' }).waitFor({ state: 'detached' })
  assert.equal(await shared(room), [[null, 24_454]])
})

inBrowser('own ports are refused and doubtful worlds are offered', async () => {
  const room = await startRoom()
  const page = await open(room.url)
  await choose(page, 'host')
  await page.getByText('My world is not in the list').click()
  await page.getByLabel('Port of the world').fill(new URL(room.url).port)
  await button(page, 'Open a room').click()
  await says(page, 'This port is used by Lantern Room itself')
  assert.is((await room.status()).state, 'Idle')

  const { port, close } = await startMuteServer()
  closing.push(close)
  const stop = new AbortController()
  const lan = { interfaces: ['127.0.0.1'], clock: createSystemClock(), log: silentLog() }
  const announcer = createLanAnnouncer(lan, GAME_SENDER)
  const announcing = announcer.announce({ motd: 'Alex - Castle', port }, stop.signal)
  closing.push(() => {
    stop.abort()
    return announcing
  })
  await page.getByLabel('Port of the world').fill('')
  await button(page, 'Open a room').click()
  await says(page, /A world is announced on port \d+, but what is there does not answer like a game/)
  await page.getByRole('radio', { name: /Alex - Castle/ }).check()
  await says(page, 'Your room is open.')
  assert.is((await room.status()).gamePort, port)
  // The refusal that was provoked is what browsers complain about.
  assert.ok(
    page.complaints.every((complaint) => complaint.includes('400')),
    page.complaints.join(),
  )
})

inBrowser('only those come in whom the host has named', async () => {
  await openWorld()
  const [host, guest] = [await startRoom(), await startRoom()]
  const page = await open(host.url)
  await chooseWorld(page)
  await page.getByText('More', { exact: true }).click()
  await page.getByLabel('Names that may come in').fill('x'.repeat(129))
  await button(page, 'Open a room').click()
  await page.locator('form').getByText('The list of names is too long, or one of the names is.').waitFor()
  assert.equal(await accessProblems(page), [])
  await page.getByLabel('Names that may come in').fill('steve， Kim')
  await button(page, 'Open a room').click()
  await says(page, 'Your room is open.')
  const { roomCode } = await host.status()
  await guest.join(roomCode ?? '', 'Alice')
  await guest.until('Error')
  assert.is((await guest.status()).errorCode, 'refused')
  await guest.ask('/room/stop', {})
  await guest.join(roomCode ?? '', 'Steve')
  await guest.until('Guest_Running')
})

inBrowser('shared nodes are added, tested and removed, in Chinese', async () => {
  const relay = await startRelayProcess()
  closing.push(relay.close)
  await openWorld()
  const room = await startRoom()
  const page = await open(room.url, { locale: 'zh-CN' })
  await page.getByText('网络与中继').click()
  for (const node of ['no node!', '127.0.0.1:1', relay.url, relay.url]) {
    await page.getByLabel('添加公共节点').fill(node)
    await button(page, '添加并测试').click()
    if (node === 'no node!') await says(page, '最多 8 个公共节点')
    else await says(page, node)
  }
  await says(page, /可用 · \d+ 毫秒/)
  await says(page, '节点拒绝了连接。')
  assert.equal(await accessProblems(page), [])
  await button(page, '移除 tcp://127.0.0.1:1').click()
  await page.getByText('节点拒绝了连接。').waitFor({ state: 'detached' })
  assert.equal((await room.ask('/config')).body.nodes, [relay.url])
  await page.getByLabel('帮助无法直连的朋友转发').check()
  await page.getByLabel('与其他玩家直连').uncheck()
  await page.reload()
  await page.getByText('网络与中继').click()
  await says(page, '下一个房间起生效。关闭后所有数据都经公共节点转发')
  assert.is(await page.getByLabel('与其他玩家直连').isChecked(), false)
  await chooseWorld(page)
  await button(page, '创建房间').click()
  await room.until('Host_Running')
  assert.is((await room.status()).network?.friendRelay?.state, 'direct-off')
  await room.ask('/room/stop', {})
  await button(page, '恢复默认节点').click()
  await button(page, '恢复默认节点').waitFor({ state: 'detached' })
  assert.is((await room.ask('/config')).body.nodesFrom, 'environment')
})

inBrowser(
  'the program tells its version and is ended by the page, which asks while players are inside',
  async () => {
    await openWorld()
    const [host, guest] = [await startRoom(), await startRoom()]
    const page = await open(host.url)
    await page.getByText(`Version ${version}`).waitFor()
    await chooseWorld(page)
    await button(page, 'Open a room').click()
    await says(page, 'Your room is open.')
    await guest.join((await host.status()).roomCode ?? '', 'Steve')
    await guest.until('Guest_Running')
    await page.locator('.players li').nth(1).waitFor()
    await button(page, 'Quit the program').click()
    await page.getByRole('alertdialog').getByText('One player is in your room').waitFor()
    assert.equal(await accessProblems(page), [])
    await button(page, 'Keep it open').click()
    assert.is((await host.status()).state, 'Host_Running')
    await button(page, 'Quit the program').click()
    await button(page, 'Close it and quit').click()
    await says(page, 'The program has ended. You can close this page.')
    await host.process.ended
    await guest.until('Error')
    assert.is((await guest.status()).errorCode, 'room-closed')
  },
)

test.run()
