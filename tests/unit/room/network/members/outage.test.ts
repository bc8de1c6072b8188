import type { Transports } from '@lantern-room/easytier/transport'
import { findOutage } from '#internal/room/network/members/outage'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('why no shared node can be reached')

const NODES = ['tcp://one.example:11010', 'https://two.example:443/list']

type Machine = { readonly names?: readonly string[]; readonly isBehindPortal?: () => Promise<boolean> }

function outageOf({ names = [], isBehindPortal }: Machine, nodes = NODES) {
  const resolve = async (name: string) => {
    if (!names.includes(name)) throw new Error('no such host')
    return ['192.0.2.7']
  }
  const transports = { resolve, ...(isBehindPortal && { isBehindPortal }) } as unknown as Transports
  return findOutage({ transports, clock: createFakeClock() }, nodes)
}

test('no name resolves: the computer is not connected', async () => {
  assert.is(await outageOf({}), 'no-internet')
})

test('one name that resolves, of a node or not, is a connection', async () => {
  for (const name of ['two.example', 'example.com']) assert.is(await outageOf({ names: [name] }), undefined)
})

test('a page that answers for everything is a login, whatever resolves', async () => {
  const isBehindPortal = async () => true
  for (const names of [[], ['one.example']])
    assert.is(await outageOf({ names, isBehindPortal }), 'wifi-login')
})

test('nodes that are known by addresses alone may be on the LAN, and nothing is asked', async () => {
  const isBehindPortal = () => Promise.reject(new Error('asked'))
  for (const node of ['tcp://192.168.1.5:1', 'udp://[fd00::1]:1', 'tcp://localhost:1'])
    assert.is(await outageOf({ isBehindPortal }, [node]), undefined)
})

test.run()
