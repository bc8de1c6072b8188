import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFakeClock } from '#support/network/fakeClock'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { rejectedRefusal } from '#support/values/failures'
import { silentLog } from '#support/values/testLog'
import { openKeptQuota } from '../../../../../local-runner/room/relay/keptQuota'

const test = suite('room relay: the file of its quota')

let folder = ''
test.before.each(async () => {
  folder = join(await makeTempFolder('relay-quota'), 'data')
})
test.after.each(() => removeFolders(join(folder, '..')))

const NOVEMBER = Date.UTC(2026, 10, 5)
const file = () => join(folder, 'relay-mine.json')

function open(clock = createFakeClock(NOVEMBER)) {
  return openKeptQuota({ folder, name: 'mine', bytes: 1000 }, { clock, log: silentLog() })
}

test('the count is written at the end, and the next start goes on with it', async () => {
  const first = await open()
  first.quota.spend(300)
  await first.close()
  const second = await open()
  assert.equal(second.quota.count(), { month: '2026-11', bytes: 300 })
  await second.close()
  assert.equal(await readdir(folder), ['relay-mine.json'])
})

test('it is written every ten seconds, so that a kill forgets no more', async () => {
  const clock = createFakeClock(NOVEMBER)
  const killed = await open(clock)
  killed.quota.spend(300)
  await clock.advance(10_000)
  for (let tries = 0; tries < 100 && !(await readFile(file(), 'utf8')).includes('300'); tries += 1)
    await sleep(20)
  assert.is(await readFile(file(), 'utf8'), '{"month":"2026-11","bytes":300}\n')
  await killed.close()
  assert.is(clock.timers, 0)
})

test('a file that is something else is refused with the remedy, and stays', async () => {
  await (await open()).close()
  for (const text of ['', '{}', '{"month":"2026-13","bytes":1}', '{"month":"2026-11","bytes":-1}']) {
    await writeFile(file(), text)
    const { message } = await rejectedRefusal(open())
    assert.match(message, /relay-mine\.json is not the count of a relay's quota: remove it/)
    assert.is(await readFile(file(), 'utf8'), text)
  }
})

test('a folder that cannot be used is named with its setting', async () => {
  await writeFile(folder, 'a file')
  assert.match((await rejectedRefusal(open())).message, /DATA_DIR/)
})
