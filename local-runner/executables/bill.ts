import { createHash } from 'node:crypto'
import type { Component } from './components'

/**
 * The bill of materials of a release.
 * @param date of the release
 * @returns CycloneDX 1.6 as JSON; the same for the same contents
 * @see https://cyclonedx.org/docs/1.6/json/
 */
export function billOfMaterials(
  version: string,
  date: Date,
  components: readonly Component[],
  files: ReadonlyMap<string, string>,
): string {
  const contents = {
    metadata: {
      timestamp: date.toISOString(),
      component: {
        type: 'application',
        'bom-ref': 'lantern-room',
        name: 'lantern-room',
        version,
        licenses: [{ license: { id: 'MIT' } }],
        components: [...files].map(([name, sha256]) => ({
          type: 'file',
          'bom-ref': `file:${name}`,
          name,
          hashes: [{ alg: 'SHA-256', content: sha256 }],
        })),
      },
    },
    components: components.map((component) => ({
      type: component.name === 'node' ? 'platform' : 'library',
      'bom-ref': component.purl,
      name: component.name,
      version: component.version,
      licenses: [licenceOf(component.licence)],
      purl: component.purl,
    })),
    dependencies: [{ ref: 'lantern-room', dependsOn: components.map(({ purl }) => purl) }],
  }
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(contents))}`,
    version: 1,
  }
  return `${JSON.stringify(Object.assign(bill, contents), null, 2)}\n`
}

function licenceOf(licence: string): object {
  return / (AND|OR|WITH) /.test(licence) ? { expression: licence } : { license: { id: licence } }
}

/** A UUID of version 8 (RFC 9562, 5.8) from the contents. */
function uuidOf(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex')
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 3) | 8).toString(16)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}
