import { basename } from 'node:path'
import { assert, suite } from '#support/runner/suite'
import { namesLike, namesOf } from '../../../../../local-runner/cli/batch/outputNames'
import { createOutputPlan } from '../../../../../local-runner/cli/batch/outputPlan'

const test = suite('the names of a run')

type Kind = 'file' | 'empty' | 'link' | 'other'

/** A plan for a folder `/o` in which there is this; `ids` are those of inputs. */
function planFor(there: Readonly<Record<string, Kind>> = {}, inputs: readonly string[] = []) {
  const files = {
    async entryAt(path: string) {
      const kind = there[basename(path)]
      if (!kind) return undefined
      const isEmpty = kind === 'empty'
      return { id: basename(path), kind: isEmpty ? ('file' as const) : kind, bytes: isEmpty ? 0 : 9 }
    },
    listNames: async () => ({ files: Object.keys(there), folders: [], others: [] }),
  }
  return createOutputPlan(files, new Map(inputs.map((name) => [name, `/o/${name}`])))
}

function family(path: string, pattern = '{name}', date = '20240506_070809') {
  return namesOf(pattern, { path, date }, { folder: '/o', ending: '_MP.jpg' })
}

const holder = (path: string) => ({ label: basename(path), path })

async function namesFor(plan: ReturnType<typeof planFor>, paths: readonly string[], pattern?: string) {
  const names: (string | undefined)[] = []
  for (const path of paths) {
    const choice = await plan.choose(family(path, pattern), holder(path))
    names.push(choice.path === undefined ? choice.problem : basename(choice.path))
  }
  return names
}

test('names that some disk takes for one are different names', async () => {
  const paths = [
    '/a/IMG.mp4',
    '/b/img.mp4',
    '/c/IMG.MOV',
    '/a/caf\u00e9.mp4',
    '/b/cafe\u0301.mp4',
    '/a/stra\u00dfe.mp4',
    '/b/STRASSE.mp4',
  ]
  assert.equal(await namesFor(planFor(), paths), [
    'IMG_MP.jpg',
    'img-2_MP.jpg',
    'IMG_MOV_MP.jpg',
    'caf\u00e9_MP.jpg',
    'cafe\u0301-2_MP.jpg',
    'stra\u00dfe_MP.jpg',
    'STRASSE-2_MP.jpg',
  ])
})

test('what is there keeps its name, but for what is empty', async () => {
  const there = { 'a_MP.jpg': 'file', 'a-2_MP.jpg': 'link', 'b_MP.jpg': 'empty' } as const
  assert.equal(await namesFor(planFor(there), ['/x/a.mp4', '/x/b.mp4']), ['a-3_MP.jpg', 'b_MP.jpg'])
})

test('a number is given once, whatever else is in the name, and not where a file is', async () => {
  const plan = planFor({ '0002_MP.jpg': 'file' })
  assert.equal(await namesFor(plan, ['/x/a.mp4', '/x/b.mp4'], '{n}'), ['0001_MP.jpg', '0003_MP.jpg'])
  assert.equal(await namesFor(plan, ['/x/a.mp4'], '{name}_{n}'), ['a_0002_MP.jpg'])
})

test('what is there of a source is found by its pattern, whichever number it has', async () => {
  const names = ['a_MP.jpg', 'A-2_MP.JPG', 'a_mp4_MP.jpg', 'ab_MP.jpg', 'a_MP.png', 'a-x_MP.jpg']
  const plan = planFor(Object.fromEntries(names.map((name) => [name, 'file' as const])))
  const found = await plan.present(family('/x/a.mp4'))
  assert.equal(
    found.map((path) => basename(path)),
    ['a_MP.jpg', 'A-2_MP.JPG', 'a_mp4_MP.jpg'],
  )
  const other = await plan.present(family('/x/a.mov'))
  assert.equal(
    other.map((path) => basename(path)),
    ['a_MP.jpg', 'A-2_MP.JPG'],
  )
})

test('an input is no place, whatever may be replaced, and neither is what is no plain file', async () => {
  const there = { 'a_MP.jpg': 'file', 'b_MP.jpg': 'other', 'c_MP.jpg': 'file' } as const
  const plan = planFor(there, ['a_MP.jpg'])
  const rules = { mayReplace: async () => true }
  const choose = (name: string) => plan.choose(family(`/x/${name}.mp4`), holder(`/x/${name}.mp4`), rules)
  assert.match((await choose('a')).problem ?? '', '/o/a_MP.jpg, an input of this run')
  assert.match((await choose('b')).problem ?? '', 'no plain file')
  assert.equal(await choose('c'), { path: '/o/c_MP.jpg', isReplacing: true })
})

test('a name that has to be is refused to the second, who is told of the first', async () => {
  const plan = planFor()
  const rules = { isExact: true }
  await plan.choose(namesLike('/o/IMG.jpg'), holder('/a/IMG.jpg'), rules)
  const { problem } = await plan.choose(namesLike('/o/img.JPG'), holder('/b/img.JPG'), rules)
  assert.is(problem, 'It would become /o/img.JPG, as /a/IMG.jpg does.')
})

test.run()
