import { diagnose } from '#core/room/doctor/diagnose'
import { doctorRecord, toDoctorRecord } from '#core/room/doctor/doctorRecord'
import { createFakeClock } from '#support/network/fakeClock'
import { soundMachine } from '#support/room/soundMachine'
import { assert, suite } from '#support/runner/suite'

const test = suite('the record of the doctor')

test('it is what the schema of the document says, with null for what a finding has not', async () => {
  const record = toDoctorRecord(await diagnose(soundMachine(createFakeClock())), '1.2.3')
  assert.equal(doctorRecord.strict().parse(record), record)
  const folder = record.findings.find(({ id }) => id === 'data-folder-usable')
  assert.equal([folder?.hint, folder?.subject], [null, '/data'])
})

test.run()
