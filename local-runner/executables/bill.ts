import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Component } from './components'

/** What of a bill in CycloneDX is changed here. */
type Bill = {
  serialNumber?: string
  metadata: { timestamp: string; component: { name: string } }
  components: { readonly purl: string; readonly 'bom-ref'?: string }[]
  dependencies: { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

/** npm's bill of materials of everything that is installed, as JSON. */
export async function npmBill(root: string): Promise<string> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 2 ** 26 })
  return stdout
}

/**
 * The bill of materials of a release: npm's, of what is bundled only, and Node. (`npm sbom --omit dev` leaves out packages that
 * development needs, too, such as `ws`.)
 * @param date of the release
 * @returns CycloneDX as JSON; the same for the same contents
 */
export function billOfMaterials(npm: string, date: Date, components: readonly Component[]): string {
  const bill = JSON.parse(npm) as Bill
  delete bill.serialNumber
  bill.metadata.timestamp = date.toISOString()
  // npm takes it from the folder.
  bill.metadata.component.name = 'lantern-room'
  const bundled = new Set(components.map(({ purl }) => purl))
  bill.components = bill.components.filter(({ purl }) => bundled.has(purl))
  const refs = new Set(bill.components.map((component) => component['bom-ref']))
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }))
  for (const { name, version, licence, purl } of components) {
    if (bill.components.some((component) => component.purl === purl)) continue
    const platform = { type: 'platform', name, version, licenses: [{ license: { id: licence } }], purl }
    bill.components.push(platform)
  }
  return `${JSON.stringify(bill, undefined, 2)}\n`
}
