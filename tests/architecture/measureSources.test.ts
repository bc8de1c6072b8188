import { assert, suite } from '#support/runner/suite'
import { measureSources } from '../figures/measureSources'

const test = suite('figures of the sources')

const file = (path: string, lines: readonly string[]) => ({ path, source: `${lines.join('\n')}\n` })
const logic = `export function count(a: number) { ${'if (a) a += 1; '.repeat(8)} return a }`

test('modules are counted by size, tests apart', () => {
  const { product, tests } = measureSources([
    file('core/long.ts', Array(201).fill('// line')),
    file('core/even.ts', Array(200).fill('// line')),
    file('core/short.ts', Array(20).fill('// line')),
    file('core/medium.ts', Array(21).fill('// line')),
    file('core/declared.d.ts', ["declare module '*.wat' {}"]),
    file('tests/unit/a.test.ts', Array(300).fill('// line')),
  ])
  assert.is(product.modules, 4)
  assert.is(product.lines, 443)
  assert.equal(product.long, ['core/long.ts  201'])
  assert.equal(product.short, ['core/short.ts  20'])
  assert.is(tests.lines, 300)
})

test('grouping spreads and abort listeners are counted where they are', () => {
  const listener = "signal.addEventListener('abort', act)"
  const figures = measureSources([
    file('core/a.ts', ['const a = { ...{ b, c }, ...d }', listener, "signal.addEventListener('close', act)"]),
    file('core/async/b.ts', [listener]),
    file('tests/unit/a.test.ts', ['const a = { ...{ b } }', listener]),
  ])
  assert.is(figures.product.spreads, 1)
  assert.is(figures.tests.spreads, 1)
  assert.is(figures.product.listeners, 1)
  assert.is(figures.asyncListeners, 1)
})

test('a module with eight conditions needs a test of its name; adapters, composers and what pages draw do not', () => {
  const figures = measureSources([
    file('core/tested.ts', [logic]),
    file('core/untested.ts', [logic]),
    file('core/plain.ts', [logic.replace('if (a) a += 1; ', '')]),
    file('core/adapters/disk.ts', [logic]),
    file('local-runner/ui/room/App.tsx', [logic, 'const view = <p>text</p>']),
    file('handlers/compose.ts', [logic]),
    file('tests/unit/tested.test.ts', ['']),
  ])
  assert.is(figures.withLogic, 2)
  assert.equal(figures.untested, ['core/untested.ts'])
})

test('folders that import each other are found by both ways of naming a module', () => {
  const figures = measureSources([
    file('core/media/a/one.ts', ["import '../b/one'"]),
    file('core/media/b/one.ts', []),
    file('core/media/b/two.ts', ["import '#core/media/a/two'"]),
    file('core/media/a/two.ts', []),
    file('core/media/app.ts', ["import './a/one'"]),
  ])
  assert.equal(figures.folderPairs, ['core/media/a ⇄ core/media/b'])
})

test.run()
