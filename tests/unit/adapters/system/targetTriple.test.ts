import { targetTriple } from '#internal/adapters/system/targetTriple'
import { assert, suite } from '#support/runner/suite'

const test = suite('target triples')

for (const [arch, platform, isMusl, tuple] of [
  ['x64', 'linux', false, 'x86_64-unknown-linux-gnu'],
  ['arm64', 'linux', true, 'aarch64-unknown-linux-musl'],
  ['x64', 'win32', false, 'x86_64-pc-windows-msvc'],
  ['ia32', 'win32', true, 'i686-pc-windows-msvc'],
  ['arm64', 'darwin', true, 'aarch64-apple-darwin'],
  ['riscv64', 'linux', false, 'riscv64gc-unknown-linux-gnu'],
  ['x64', 'freebsd', true, 'x86_64-unknown-freebsd'],
  ['s390x', 'aix', true, 's390x-unknown-aix'],
] as const)
  test(`${arch} on ${platform}${isMusl ? ' without glibc' : ''} is ${tuple}`, () => {
    const { targetTuple, targetArch, targetVendor, targetOS, targetEnv } = targetTriple({
      arch,
      platform,
      isMusl,
    })
    assert.is(targetTuple, tuple)
    assert.is([targetArch, targetVendor, targetOS, targetEnv].filter((part) => part !== '').join('-'), tuple)
  })

test('this machine has a triple', () => {
  assert.match(targetTriple().targetTuple, /^[a-z0-9_]+-[a-z]+-[a-z0-9]+(-[a-z]+)?$/)
  const { header } = process.report.getReport() as { header: object }
  assert.not('networkInterfaces' in header, 'Node’s report looks up names while the whole process waits')
})

test.run()
