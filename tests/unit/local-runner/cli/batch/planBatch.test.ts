import { ServiceError } from '@lantern-room/base'
import { bytesSource } from '@lantern-room/formats'
import { assert, suite } from '#support/runner/suite'
import { planBatch } from '../../../../../local-runner/cli/batch/planBatch'
import { userFiles } from '../../../../../local-runner/cli/compose'
import { clip } from '../../../formats/motionPhoto/samplePhones'

const test = suite('the plan for a folder')

test('a folder that cannot be read has a line, and the others go on', async () => {
  const files = {
    ...userFiles,
    async listNames(path: string) {
      if (path === '/f/locked') throw new ServiceError('invalid-request', 'The folder cannot be read.')
      return path === '/f'
        ? { files: ['a.mp4', 'notes.txt'], folders: ['locked'], others: [] as string[] }
        : undefined
    },
    readInputHead: async (_: string, check: (head: Uint8Array) => void) => check(clip),
    openPhoto: async () => bytesSource(clip),
    entryAt: async () => undefined,
    realPlace: async (path: string) => path,
    modificationTime: async () => 0,
  }
  const given = new Map([['recursive', '']] as const)
  const batch = {
    kind: 'batch',
    given,
    names: '{name}',
    folder: '/',
    out: '/o',
    others: [] as string[],
    report: undefined,
  } as const
  const { things } = await planBatch({ ...batch, paths: ['/f'] }, files, new AbortController().signal)
  assert.equal(
    things.map(({ label, video, problem }) => [label, video?.output, problem?.text]),
    [
      ['a.mp4', '/o/a_MP.jpg', undefined],
      ['locked', undefined, 'The folder cannot be read.'],
    ],
  )
})

test.run()
