import * as assert from 'uvu/assert'
import { createSettings } from '#core/room/service/settings'
import { suite } from '#support/runner/suite'

const test = suite('what a launcher sets')

test('its name is in the vendor until it is cleared', () => {
  const settings = createSettings({ product: 'P', version: '1' })
  assert.equal([settings.launcherCustomString(), settings.vendor()], [undefined, 'P 1'])
  settings.setLauncherCustomString('HMCL 3')
  assert.equal([settings.launcherCustomString(), settings.vendor()], ['HMCL 3', 'P 1 HMCL 3'])
  settings.setLauncherCustomString(null)
  assert.is(settings.vendor(), 'P 1')
})

test('an order may name itself without setting anything', () => {
  const settings = createSettings({ product: 'P', version: '1' })
  settings.setLauncherCustomString('A')
  assert.is(settings.vendor('B'), 'P 1 B')
  assert.is(settings.vendor(undefined), 'P 1 A')
})

test('what is refused changes nothing', () => {
  const settings = createSettings({ product: 'P', version: '1' })
  settings.setLauncherCustomString('A')
  assert.throws(() => settings.setLauncherCustomString('a\nb'))
  assert.is(settings.launcherCustomString(), 'A')
})

test.run()
