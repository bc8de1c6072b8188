import { CONTRACT_VERSION } from '#core/build'
import { assert, suite } from '#support/runner/suite'
import { versionRecord } from '../../../../../local-runner/room/cli/versionRecord'

const test = suite('what room --version --json says')

test('version, contract and platform; features are unique and name commands and their options', () => {
  const record = versionRecord('1.2.3', 'win32-x64')
  assert.equal(
    [record.name, record.version, record.contractVersion, record.platform],
    ['room', '1.2.3', CONTRACT_VERSION, 'win32-x64'],
  )
  for (const feature of ['serve', 'serve.port-file', 'serve.nodes', 'join.name', 'doctor.json'])
    assert.ok(record.features.includes(feature), feature)
  assert.is(new Set(record.features).size, record.features.length)
})

test.run()
