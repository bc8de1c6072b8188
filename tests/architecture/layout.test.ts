import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findProgram } from '#support/process/findProgram'
import { assert, suite } from '#support/runner/suite'
import { testGroups } from '../quick'

const test = suite('layout')
const inGit = existsSync('.git') && findProgram('git') !== undefined
const withGit = test.skipUnless(inGit, 'this is no git checkout')

const topLevel = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'core',
  'docs',
  'esbuild.mjs',
  'handlers',
  'layers',
  'local-runner',
  'package-lock.json',
  'package.json',
  'serverless.yml',
  'tests',
  'tsconfig.json',
]

withGit('the top level holds nothing new', () => {
  const names = new Set(trackedFiles().map((path) => path.split('/')[0] ?? ''))
  const strangers = [...names].filter((name) => !name.startsWith('.') && !topLevel.includes(name))
  assert.equal(strangers, [])
})

withGit('every test lies where the runner looks', () => {
  const places = [...testGroups, 'fixtures'].map((group) => `tests/${group}/`)
  const lost = trackedFiles().filter(
    (path) => path.endsWith('.test.ts') && !places.some((place) => path.startsWith(place)),
  )
  assert.equal(lost, [])
})

function trackedFiles(): string[] {
  return execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '')
}

test.run()
