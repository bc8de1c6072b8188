import { assert, suite } from '#support/runner/suite'
import { NOTHING_SEEN, nextLook, type Seen } from '../../../../local-runner/cli/settledFiles'

const test = suite('files that are whole')

/** What each look gives out, of files as `name size time`. */
function looks(...folders: readonly (readonly string[])[]): (readonly string[])[] {
  let seen: Seen = NOTHING_SEEN
  return folders.map((files) => {
    const look = nextLook(
      seen,
      files.map((file) => {
        const [name = '', size, time] = file.split(' ')
        return { name, size: Number(size), modifiedMs: Number(time) }
      }),
    )
    seen = look.seen
    return look.ready
  })
}

const table: Readonly<Record<string, { folders: readonly string[][]; given: readonly string[][] }>> = {
  'a file is given at the second look, and once': {
    folders: [['a.mp4 9 1'], ['a.mp4 9 1'], ['a.mp4 9 1']],
    given: [[], ['a.mp4'], []],
  },
  'one that grows is waited for': {
    folders: [['a.mp4 1 1'], ['a.mp4 5 1'], ['a.mp4 9 2'], ['a.mp4 9 2']],
    given: [[], [], [], ['a.mp4']],
  },
  'one that is written in place, without growing, too': {
    folders: [['a.mov 9 1'], ['a.mov 9 2'], ['a.mov 9 2']],
    given: [[], [], ['a.mov']],
  },
  'one that changes afterwards is given again': {
    folders: [['a.mp4 9 1'], ['a.mp4 9 1'], ['a.mp4 8 3'], ['a.mp4 8 3']],
    given: [[], ['a.mp4'], [], ['a.mp4']],
  },
  'an empty file, a hidden one, a partial download and a photo are left alone': {
    folders: [
      ['a.mp4 0 1', '.b.mp4 9 1', 'c.mp4.part 9 1', 'd.jpg 9 1', 'E.MKV 9 1'],
      ['a.mp4 0 1', '.b.mp4 9 1', 'c.mp4.part 9 1', 'd.jpg 9 1', 'E.MKV 9 1'],
    ],
    given: [[], ['E.MKV']],
  },
  'one that goes and comes back begins anew': {
    folders: [['a.mp4 9 1'], [], ['a.mp4 9 1'], ['a.mp4 9 1']],
    given: [[], [], [], ['a.mp4']],
  },
}
for (const [name, { folders, given }] of Object.entries(table))
  test(name, () => assert.equal(looks(...folders), given))
