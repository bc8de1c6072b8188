import * as assert from 'uvu/assert'
import { ServiceError } from '#core/errors'
import { createSettings } from '#core/room/service/settings'
import { suite } from '#support/runner/suite'

const test = suite('settings of a launcher')

test('the custom string is part of the vendor until it is cleared', () => {
  const settings = createSettings({ product: 'P', version: '1', nodes: [] })
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
  const settings = createSettings({ product: 'P', version: '1', nodes: [] })
  settings.setLauncherCustomString('A')
  assert.is(settings.vendor('B'), 'P 1 B')
  for (const none of [undefined, null, '']) assert.is(settings.vendor(none), 'P 1 A')
})

test('the custom string has at most 128 printable characters, of any script', () => {
  const settings = createSettings({ product: 'P', version: '1', nodes: [] })
  for (const value of ['PCL 2.8', '启动器', 'é'.repeat(128), '😀'.repeat(128)]) {
    assert.is(settings.vendor(value), `P 1 ${value}`)
    settings.setLauncherCustomString(value)
    assert.is(settings.launcherCustomString(), value)
  }
  const refused = ['é'.repeat(129), '😀'.repeat(129), 'a\nb', 'a\0', '\u007F', '\u202Eabc', '\uD83D']
  for (const value of refused) {
    for (const call of [() => settings.vendor(value), () => settings.setLauncherCustomString(value)]) {
      assert.throws(
        call,
        (error: unknown) => error instanceof ServiceError && error.code === 'invalid-request',
      )
    }
  }
})

test('a refused custom string changes nothing', () => {
  const settings = createSettings({ product: 'P', version: '1', nodes: [] })
  settings.setLauncherCustomString('A')
  assert.throws(() => settings.setLauncherCustomString('a\nb'))
  assert.is(settings.launcherCustomString(), 'A')
})

test('the nodes are the configured ones until others are set', () => {
  const settings = createSettings({ product: 'P', version: '1', nodes: ['tcp://a:1'] })
  assert.equal(settings.nodes(), ['tcp://a:1'])
  settings.setNodes([])
  assert.equal(settings.nodes(), [])
  settings.setNodes(['udp://b:2'])
  assert.equal(settings.nodes(), ['udp://b:2'])
  settings.setNodes(undefined)
  assert.equal(settings.nodes(), ['tcp://a:1'])
})

test.run()
