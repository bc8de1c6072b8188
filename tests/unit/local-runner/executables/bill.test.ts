import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { billOfMaterials, npmBill } from '../../../../local-runner/executables/bill'
import { componentsOf } from '../../../../local-runner/executables/components'

const test = suite('bill of materials', { timeoutMs: 60_000 })

const DATE = new Date('2026-11-22T10:20:30Z')
const INPUTS = ['hono', 'ws', '@bufbuild/protobuf'].map((name) => `node_modules/${name}/index.js`)
const NODE = {
  name: 'node',
  version: '22.1.0',
  licence: 'MIT',
  licenceText: '',
  purl: 'pkg:generic/node@22.1.0',
}

test("npm's bill is cut to what is bundled, and Node is added", async () => {
  const components = await componentsOf(projectRoot, INPUTS)
  const bill = JSON.parse(billOfMaterials(await npmBill(projectRoot), DATE, [NODE, ...components]))
  assert.equal([bill.bomFormat, bill.metadata.timestamp], ['CycloneDX', '2026-11-22T10:20:30.000Z'])
  assert.is(bill.metadata.component.name, 'lantern-room')
  assert.equal(
    bill.components.map(({ purl }: { purl: string }) => purl).sort(),
    [NODE, ...components].map(({ purl }) => purl).sort(),
  )
  for (const { name, licenses } of bill.components) assert.ok(licenses.length > 0, name)
})

test('it is the same for the same contents', async () => {
  const [first, second] = [await npmBill(projectRoot), await npmBill(projectRoot)]
  assert.is(billOfMaterials(first, DATE, [NODE]), billOfMaterials(second, DATE, [NODE]))
})

test.run()
