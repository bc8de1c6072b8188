import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#support/process/serverProcess'
import { takeLanTurn } from '#support/runner/lanTurn'
import { assert, suite } from '#support/runner/suite'
import { hasResolved } from '#support/values/hasResolved'

const test = suite('the turn on the LAN of two test runs')
const { signal } = new AbortController()

test('one run has it at a time; the next one has it when it is given back', async () => {
  const port = await freePort()
  const giveBack = await takeLanTurn(signal, { port })
  const second = takeLanTurn(signal, { port })
  const hasSecond = hasResolved(second)
  await sleep(500)
  assert.not.ok(hasSecond())
  await giveBack()
  await (await second)()
})

test('who has waited in vain, or is aborted, goes on and takes the turn from nobody', async () => {
  const port = await freePort()
  const giveBack = await takeLanTurn(signal, { port })
  await (await takeLanTurn(signal, { port, patienceMs: 300 }))()
  await (await takeLanTurn(AbortSignal.timeout(300), { port }))()
  const third = takeLanTurn(signal, { port })
  const hasThird = hasResolved(third)
  await sleep(500)
  assert.not.ok(hasThird())
  await giveBack()
  await (await third)()
})
