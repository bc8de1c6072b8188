import { statusPage } from '#core/http/statusPage'
import { assert, suite } from '#support/runner/suite'

const test = suite('status page')

const PAGE = { title: 'A service', description: 'It serves.', version: '1.2.3' }

test('it shows the service, its state, its version and the API document', async () => {
  const text = String(await statusPage({ ...PAGE, state: 'It is ready.', health: 'good' }))
  assert.match(text, /^<!doctype html>\n<html lang="en">/)
  for (const part of [
    '<title>A service</title>',
    '<p>It serves.</p>',
    '<p class="state">It is ready.</p>',
    '<a href="openapi.json">',
    '</a></p>\n\n<p><small>Version 1.2.3',
    'background: #2a9d5c',
  ]) {
    assert.ok(text.includes(part), part)
  }
})

test('text is escaped', async () => {
  const evil = '<script>"&\'</script>'
  const text = String(
    await statusPage({
      title: evil,
      description: evil,
      state: evil,
      health: 'bad',
      version: evil,
      notes: ['one', evil],
    }),
  )
  assert.match(text, '<p><small>one</small></p><p><small>&lt;script&gt;')
  assert.not.match(text, /<script/)
  assert.match(text, '<p class="state">&lt;script&gt;')
  assert.match(text, '<p>&lt;script&gt;')
})

test('the colour shows the health', async () => {
  const bad = String(await statusPage({ ...PAGE, state: 'x', health: 'bad' }))
  assert.match(bad, '#d1453b')
  const idle = String(await statusPage({ ...PAGE, state: 'x', health: 'idle' }))
  assert.match(idle, '#8a8f98')
})

test.run()
