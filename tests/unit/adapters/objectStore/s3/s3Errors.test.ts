import { bucketError } from '#internal/adapters/objectStore/s3/s3Errors'
import { assert, suite } from '#support/runner/suite'

const test = suite('what a failing bucket says')

test('a user without a home, or files that cannot be read, are no network that fails', () => {
  const told = (code: string, syscall: string) =>
    bucketError(Object.assign(new Error(code), { code, syscall }), 'b').message
  for (const [code, syscall] of [
    ['ERR_SYSTEM_ERROR', 'uv_os_homedir'],
    ['ENOENT', 'open'],
    ['EACCES', 'open'],
  ] as const)
    assert.match(told(code, syscall), /its credentials cannot be read\. Set HOME/, syscall)
  for (const [code, syscall] of [
    ['ECONNREFUSED', 'connect'],
    ['EACCES', 'connect'],
    ['ENOTFOUND', 'getaddrinfo'],
  ] as const)
    assert.match(told(code, syscall), /cannot be reached/, `${code} ${syscall}`)
})

test.run()
