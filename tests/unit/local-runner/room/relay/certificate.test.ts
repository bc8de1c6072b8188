import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFakeClock } from '#support/network/fakeClock'
import { folderOfEachTest } from '#support/process/tempFolder'
import { testCertificate } from '#support/room/testCredentials'
import { assert, suite } from '#support/runner/suite'
import { rejectedRefusal } from '#support/values/failures'
import { silentLog } from '#support/values/testLog'
import { openCertificateFiles } from '../../../../../local-runner/room/relay/certificate'

const test = suite('room relay: its certificate')

const [first, second] = [testCertificate(1), testCertificate(2)]
const folder = folderOfEachTest(test, 'relay-certificate')

const files = () => ({ certFile: join(folder(), 'cert.pem'), keyFile: join(folder(), 'key.pem') })

async function write({ cert, key }: { readonly cert: string; readonly key: string }) {
  await writeFile(files().certFile, cert)
  await writeFile(files().keyFile, key)
}

test('a renewed pair is told within a minute; one that does not fit is left, and logged once', async () => {
  const clock = createFakeClock()
  const warned: string[] = []
  const log = { ...silentLog(), warn: (message: string) => void warned.push(message) }
  await write(first)
  const certificate = await openCertificateFiles(files(), { clock, log })
  const told: string[] = []
  certificate.onRenewed(({ cert }) => void told.push(cert))
  assert.is(certificate.current().cert, first.cert)

  await write({ cert: second.cert, key: first.key })
  await minute(clock)
  await minute(clock)
  assert.equal([told.length, warned.length, certificate.current()], [0, 1, first])

  await write(second)
  await minute(clock)
  await minute(clock)
  assert.equal(told, [second.cert])
  assert.equal(certificate.current(), second)
  certificate.close()
  assert.is(clock.timers, 0)
})

test('files that are missing or do not fit are refused with the names of the settings', async () => {
  const open = () => openCertificateFiles(files(), { clock: createFakeClock(), log: silentLog() })
  for (const pair of [
    undefined,
    { cert: first.cert, key: second.key },
    { cert: 'nonsense', key: first.key },
  ]) {
    if (pair) await write(pair)
    const { message } = await rejectedRefusal(open())
    assert.match(message, /ROOM_RELAY_TLS_CERT and ROOM_RELAY_TLS_KEY/)
  }
})

/** The files are real, so that reading them takes real time, too: until the next timer waits. */
async function minute(clock: ReturnType<typeof createFakeClock>): Promise<void> {
  await clock.advance(60_000)
  for (let tries = 0; tries < 250 && clock.timers === 0; tries += 1) await sleep(20)
}
