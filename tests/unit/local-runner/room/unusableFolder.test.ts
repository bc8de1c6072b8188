import * as assert from 'uvu/assert'
import { suite } from '#support/runner/suite'
import { unusableFolder } from '../../../../local-runner/room/unusableFolder'

const test = suite('a data folder that cannot be used')

test('says what to do about it: rights, or room on the disk', () => {
  const detailOf = (code: string) =>
    unusableFolder('The folder x', Object.assign(new Error(code), { code })).detail
  for (const code of ['EACCES', 'EROFS', 'ENOTDIR'])
    assert.is(
      detailOf(code),
      'The folder x cannot be used. Give this user the right to write, or set DATA_DIR to another folder.',
    )
  for (const code of ['ENOSPC', 'EDQUOT'])
    assert.is(
      detailOf(code),
      'The folder x cannot be used. The disk is full: make room on it, or set DATA_DIR to another folder.',
    )
})

test.run()
