import { once } from 'node:events'
import { createServer } from 'node:net'
import { isPortFree } from '#core/adapters/localNet/localNet'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'

const test = suite('whether a port is free')

for (const host of ['127.0.0.1', '0.0.0.0'])
  test(`a port is in use while a program listens on it at ${host}, and free before and after`, async () => {
    const other = createServer()
    const port = await openPort(other, host)
    assert.is(await isPortFree(port), false)
    other.close()
    await once(other, 'close')
    assert.is(await isPortFree(port), true)
    assert.is(await isPortFree(port), true, 'asking leaves it free')
  })

test.run()
