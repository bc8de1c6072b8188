import { assert, suite } from '#support/runner/suite'
import { billOfMaterials } from '../../../../local-runner/executables/bill'
import type { Component } from '../../../../local-runner/executables/components'

const test = suite('bill of materials')

const DATE = new Date('2026-11-22T10:20:30Z')
const component = (name: string, licence: string): Component => ({
  name,
  version: '1.2.3',
  licence,
  licenceText: '',
  purl: `pkg:npm/${name}@1.2.3`,
})
const FILES = new Map([['room-win.zip', 'ab'.repeat(32)]])

test('it names every component with version, licence and package URL', () => {
  const parts = [component('hono', 'MIT'), component('buf', '(Apache-2.0 AND BSD-3-Clause)')]
  const bill = JSON.parse(billOfMaterials('0.1.0', DATE, parts, FILES))
  assert.is(bill.bomFormat, 'CycloneDX')
  assert.is(bill.specVersion, '1.6')
  assert.match(
    bill.serialNumber,
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
  assert.is(bill.metadata.timestamp, '2026-11-22T10:20:30.000Z')
  assert.equal(bill.metadata.component.components[0].hashes, [{ alg: 'SHA-256', content: 'ab'.repeat(32) }])
  assert.equal(bill.components[0], {
    type: 'library',
    'bom-ref': 'pkg:npm/hono@1.2.3',
    name: 'hono',
    version: '1.2.3',
    licenses: [{ license: { id: 'MIT' } }],
    purl: 'pkg:npm/hono@1.2.3',
  })
  assert.equal(bill.components[1].licenses, [{ expression: '(Apache-2.0 AND BSD-3-Clause)' }])
})

test('it is the same for the same contents, and has another number for others', () => {
  const of = (name: string) => billOfMaterials('0.1.0', DATE, [component(name, 'MIT')], FILES)
  assert.is(of('hono'), of('hono'))
  assert.is.not(JSON.parse(of('hono')).serialNumber, JSON.parse(of('ws')).serialNumber)
})
