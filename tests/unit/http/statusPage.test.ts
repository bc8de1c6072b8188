import { statusPage } from '#core/http/plainPage'
import { assert, suite } from '#support/runner/suite'

const test = suite('status page')

test('text is escaped', () => {
  const evil = '<script>"&\'</script>'
  const text = statusPage({
    title: evil,
    description: evil,
    state: evil,
    health: 'bad',
    version: evil,
    notes: ['one', evil],
  })
  assert.match(text, '<p><small>one</small></p><p><small>&lt;script&gt;')
  assert.not.match(text, /<script/)
  assert.match(text, '<p class="state bad">&lt;script&gt;')
  assert.match(text, '<p>&lt;script&gt;')
})

test.run()
