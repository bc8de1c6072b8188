import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessHost } from '#support/hosts/hosts'
import { hostsOfEachTest, sessionsIn, slowFfmpeg } from '#support/hosts/jobs'
import { film, mediaFolderOf } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { caseCount } from '#support/values/caseCount'
import { eventually } from '#support/values/until'
import { jsonOf, type Prepared, prepareUpload, uploaded } from '../contract/http/requests'

// Hosts that are killed while they prepare an upload, and another one on their store that is asked again.

const suiteOf = suite('a host that is killed while it prepares', { timeoutMs: 300_000 })
const test = suiteOf.skipUnless(process.platform === 'linux', 'it runs a shell script as ffmpeg')
const media = await mediaFolderOf(suiteOf)
const start = hostsOfEachTest(suiteOf)

const MOMENTS = caseCount(3, 20)
/** A film of two seconds takes about that long, with what comes before and after. */
const LAST_MS = 3000

type State = { readonly state: string; readonly session_id?: string; readonly expires_at?: number }

const stateOf = async (host: ProcessHost, id: string) => jsonOf<State>(await host.send(`/uploads/${id}`))

test(`leaves one session, or an upload that another host prepares within 40 s, at ${MOMENTS} moments`, async () => {
  const DATA_DIR = media.path('killed')
  const clip = await readFile(await media.make('2.mp4', film('160x120', 2)))
  const FFMPEG_PATH = await slowFfmpeg(media)
  const MAX_CONCURRENT_JOBS = String(MOMENTS)
  const survivor = await start({ DATA_DIR, MAX_CONCURRENT_JOBS })
  const doomed = await start({ DATA_DIR, MAX_CONCURRENT_JOBS, FFMPEG_PATH })
  const ids = await Promise.all(Array.from({ length: MOMENTS }, () => uploaded(doomed, clip)))
  const answers: Promise<unknown>[] = []
  for (const id of ids) {
    answers.push(prepareUpload(doomed, id).catch(() => undefined))
    await sleep(LAST_MS / MOMENTS)
  }
  doomed.server.signal('SIGKILL')
  await doomed.server.ended
  await Promise.all(answers)

  /** @returns the session that the upload has become in the end */
  async function sessionOf(id: string): Promise<string | undefined> {
    const answer = await eventually(
      () => prepareUpload(survivor, id),
      ({ status }) => status !== 409,
      { ms: 40_000, everyMs: 500 },
    )
    const { state, session_id } = await stateOf(survivor, id)
    assert.is(state, 'done', await answer.clone().text())
    if (answer.status === 200) assert.is((await jsonOf<Prepared>(answer)).session_id, session_id)
    // It was finished before the kill, and only the answer was lost.
    else assert.is(answer.status, 404)
    return session_id
  }

  const made = await Promise.all(ids.map(sessionOf))
  for (const id of made) assert.is((await survivor.send(`/sessions/${id}`)).status, 200)
  const records = await Promise.all(
    (await sessionsIn(DATA_DIR)).map((id) =>
      readFile(join(DATA_DIR, 'store/sessions', id, 'session.json')).catch(() => Buffer.alloc(0)),
    ),
  )
  assert.is(records.filter(({ length }) => length > 0).length, new Set(made).size)
  assert.is(new Set(made).size, MOMENTS)
})

suiteOf.run()
