import { createSettings } from '#core/room/service/kept/settings'
import { assert, suite } from '../../../../support/runner/suite'
import { isRefusal } from '../../../../support/values/failures'

const test = suite('settings of a launcher')

const NONE = { nodes: [], nodesFrom: 'environment' } as const

test('the custom string is part of the vendor until it is cleared', () => {
  const settings = createSettings({ product: 'P', version: '1', config: NONE })
  assert.equal([settings.launcherCustomString(), settings.vendor()], [undefined, 'P 1'])
  settings.setLauncherCustomString('HMCL 3')
  assert.equal([settings.launcherCustomString(), settings.vendor()], ['HMCL 3', 'P 1 HMCL 3'])
  for (const cleared of [null, undefined, '']) {
    settings.setLauncherCustomString('HMCL 3')
    settings.setLauncherCustomString(cleared)
    assert.equal([settings.launcherCustomString(), settings.vendor()], [undefined, 'P 1'])
  }
})

test('a request may name its own custom string without setting it', () => {
  const settings = createSettings({ product: 'P', version: '1', config: NONE })
  settings.setLauncherCustomString('A')
  assert.is(settings.vendor('B'), 'P 1 B')
  for (const none of [undefined, null, '']) assert.is(settings.vendor(none), 'P 1 A')
})

test('the custom string has at most 128 printable characters, of any script', () => {
  const settings = createSettings({ product: 'P', version: '1', config: NONE })
  for (const value of ['PCL 2.8', '启动器', 'é'.repeat(128), '😀'.repeat(128)]) {
    assert.is(settings.vendor(value), `P 1 ${value}`)
    settings.setLauncherCustomString(value)
    assert.is(settings.launcherCustomString(), value)
  }
  const refused = ['é'.repeat(129), '😀'.repeat(129), 'a\nb', 'a\0', '\u007F', '\u202Eabc', '\uD83D']
  for (const value of refused) {
    for (const call of [() => settings.vendor(value), () => settings.setLauncherCustomString(value)])
      assert.throws(call, isRefusal('invalid-request'))
  }
})

test('a refused custom string changes nothing', () => {
  const settings = createSettings({ product: 'P', version: '1', config: NONE })
  settings.setLauncherCustomString('A')
  assert.throws(() => settings.setLauncherCustomString('a\nb'))
  assert.is(settings.launcherCustomString(), 'A')
})

test('the nodes are the configured ones until others are set, which are kept', async () => {
  const kept: (readonly string[] | undefined)[] = []
  const keptNodes = { initial: undefined, keep: async (nodes?: readonly string[]) => void kept.push(nodes) }
  const config = { nodes: ['tcp://a:1'], nodesFrom: 'default' } as const
  const settings = createSettings({ product: 'P', version: '1', config, keptNodes })
  const shown = () => [settings.nodes(), settings.nodesFrom()]
  assert.equal(shown(), [['tcp://a:1'], 'default'])
  await settings.setNodes([])
  assert.equal(shown(), [[], 'client'])
  await settings.setNodes(['udp://b:2'])
  assert.equal(shown(), [['udp://b:2'], 'client'])
  await settings.setNodes(undefined)
  assert.equal(shown(), [['tcp://a:1'], 'default'])
  assert.equal(kept, [[], ['udp://b:2'], undefined])
})

test('nodes of an earlier run go before the configured ones', () => {
  const keptNodes = { initial: ['udp://b:2'], keep: async () => {} }
  const settings = createSettings({ product: 'P', version: '1', config: NONE, keptNodes })
  assert.equal([settings.nodes(), settings.nodesFrom()], [['udp://b:2'], 'client'])
})

test.run()
