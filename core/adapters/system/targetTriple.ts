import { arch, platform } from 'node:os'
import targets from './targets.json'

/**
 * The platform of this program as a compiler's target triple: `x86_64-unknown-linux-gnu`.
 * @param machine as Node names it. @default this one
 * @example targetTriple({ arch: 'arm64', platform: 'darwin', isMusl: false }).targetTuple // 'aarch64-apple-darwin'
 */
export function targetTriple(
  machine: { readonly arch: string; readonly platform: string; readonly isMusl: boolean } = thisMachine(),
) {
  const targetArch = ARCHITECTURES[machine.arch] ?? machine.arch
  const system = SYSTEMS[machine.platform] ?? { vendor: 'unknown', os: machine.platform, env: '' }
  const { vendor: targetVendor, os: targetOS, env: targetEnv } = system
  const env = machine.platform === 'linux' && machine.isMusl ? 'musl' : targetEnv
  const targetTuple = [targetArch, targetVendor, targetOS, env].filter(Boolean).join('-')
  // `targetEnv` is empty where a platform has none.
  return { targetTuple, targetArch, targetVendor, targetOS, targetEnv: env }
}

const ARCHITECTURES: Readonly<Record<string, string>> = targets.architectures
const SYSTEMS: Readonly<Record<string, (typeof targets.systems)['linux']>> = targets.systems

function thisMachine() {
  // With the network, the report resolves the names of all open sockets' addresses and blocks the process until it has them.
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return { arch: arch(), platform: platform(), isMusl: header?.glibcVersionRuntime === undefined }
}
