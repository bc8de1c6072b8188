import { statusPage } from '../http/statusPage'

/**
 * The page at `/`.
 * @param state.problem why the service cannot work, in one sentence; undefined when it can
 */
export function mediaPage({ version, problem }: { version: string; problem: string | undefined }) {
  return statusPage({
    title: 'Motion photo API',
    description:
      'A video or animated image goes in; a motion photo that phone galleries recognise comes out.',
    state: problem === undefined ? 'It is ready.' : `It cannot work now: ${problem}`,
    health: problem === undefined ? 'good' : 'bad',
    version,
  })
}
