import { readFile, writeFile } from 'node:fs/promises'
import { assert, suite } from '#support/runner/suite'
import { renderRoomCodes } from './roomCodes'

const test = suite('the codes of the room service')

const PAGE = 'docs/room-codes.md'

test('their page says what the program has', async () => {
  if (process.env.UPDATE_DOCS) await writeFile(PAGE, renderRoomCodes())
  assert.equal((await readFile(PAGE, 'utf8')).split('\n'), renderRoomCodes().split('\n'))
})

test.run()
