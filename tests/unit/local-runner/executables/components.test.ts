import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { componentsOf, licenceTexts } from '../../../../local-runner/executables/components'

const test = suite('what an executable contains')

let root = ''
test.before(async () => {
  root = await makeTempFolder('components')
  for (const [folder, name, licence] of [
    ['node_modules/ws', 'ws', 'LICENSE'],
    ['node_modules/ws/node_modules/@a/b', '@a/b', 'licence.md'],
    ['node_modules/bare', 'bare', 'readme.md'],
  ] as const) {
    await mkdir(join(root, folder), { recursive: true })
    const described = { name, version: '1.0.0', license: 'MIT' }
    await writeFile(join(root, folder, 'package.json'), JSON.stringify(described))
    await writeFile(join(root, folder, licence), `licence of ${name}\n`)
  }
})
test.after(() => removeFolders(root))

const INPUTS = [
  'core/room/config.ts',
  'node_modules/ws/lib/a.js',
  'node_modules/ws/lib/b.js',
  'node_modules/ws/node_modules/@a/b/index.js',
  'node_modules/bare/index.js',
]

test('each package of the bundled files is named once, with its licence', async () => {
  const components = await componentsOf(root, INPUTS)
  assert.equal(
    components.map(({ purl, licenceText }) => [purl, licenceText]),
    [
      ['pkg:npm/%40a/b@1.0.0', 'licence of @a/b'],
      ['pkg:npm/bare@1.0.0', '(The package ships no licence text. It is published under MIT.)'],
      ['pkg:npm/ws@1.0.0', 'licence of ws'],
    ],
  )
})

test('the text that is passed on has a part for each', async () => {
  const text = licenceTexts(await componentsOf(root, INPUTS))
  assert.match(text, '@a/b 1.0.0 (MIT)\n================\n\nlicence of @a/b\n')
  assert.match(text, 'ws 1.0.0 (MIT)\n')
})

test.run()
