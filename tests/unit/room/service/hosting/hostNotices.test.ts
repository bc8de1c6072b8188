import type { NodeStatus } from '#internal/room/networkStatus'
import { nodesNotice } from '#internal/room/service/hosting/hostNotices'
import { assert, suite } from '#support/runner/suite'

const test = suite('what a host is told of its shared nodes')

const NODE: NodeStatus = { url: 'tcp://a:1', state: 'failed', latencyMs: undefined, problem: 'p' }
const refusing = (refusal: NodeStatus['refusal']): NodeStatus => ({ ...NODE, refusal })

test('why none takes it, while another one does not make up for that', () => {
  const codeOf = (nodes: readonly NodeStatus[]) => nodesNotice(nodes)?.code
  assert.is(codeOf([NODE, refusing('address-limit')]), 'nodes-at-address-limit')
  assert.is(codeOf([refusing('node-full')]), 'nodes-full')
  assert.is(codeOf([NODE]), undefined)
  assert.is(codeOf([refusing('node-full'), { ...NODE, state: 'connected' }]), undefined)
})

test.run()
