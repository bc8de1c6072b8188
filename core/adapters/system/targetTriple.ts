import { arch, platform } from 'node:os'

/** The platform of this program as a compiler's target triple: `x86_64-unknown-linux-gnu`. */
export function targetTriple(
  machine: { readonly arch: string; readonly platform: string; readonly isMusl: boolean } = thisMachine(),
) {
  const targetArch = ARCHITECTURES[machine.arch] ?? machine.arch
  const [targetVendor, targetOS, targetEnv] = SYSTEMS[machine.platform] ?? ['unknown', machine.platform, '']
  const env = machine.platform === 'linux' && machine.isMusl ? 'musl' : targetEnv
  const targetTuple = [targetArch, targetVendor, targetOS, env].filter(Boolean).join('-')
  // `targetEnv` is empty where a platform has none.
  return { targetTuple, targetArch, targetVendor, targetOS, targetEnv: env }
}

const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'x86_64',
  arm64: 'aarch64',
  ia32: 'i686',
  arm: 'armv7',
  loong64: 'loongarch64',
  riscv64: 'riscv64gc',
}

const SYSTEMS: Readonly<Record<string, readonly [vendor: string, os: string, env: string]>> = {
  linux: ['unknown', 'linux', 'gnu'],
  darwin: ['apple', 'darwin', ''],
  win32: ['pc', 'windows', 'msvc'],
  freebsd: ['unknown', 'freebsd', ''],
}

function thisMachine() {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return { arch: arch(), platform: platform(), isMusl: header?.glibcVersionRuntime === undefined }
}
