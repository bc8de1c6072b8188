import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { allOptions } from '../../../../../../local-runner/room/cli/options/commandOptions'

const test = suite('the options of room')

test('every setting of the room service that docs/configuration.md lists is an option of room serve, the token aside', async () => {
  const page = await readFile(join(projectRoot, 'docs/configuration.md'), 'utf8')
  const services = page.split('## A shared node')[0] ?? ''
  const listed = [...services.matchAll(/^\| `((?:ROOM|SCAFFOLDING)_[A-Z_]+)`/gm)].map(([, name]) => name)
  assert.ok(listed.length > 15)
  const variables = Object.values(allOptions('serve')).map(({ variable }) => variable)
  assert.equal(
    listed.filter((name) => !variables.includes(name)),
    ['ROOM_API_TOKEN'],
  )
})

test.run()
