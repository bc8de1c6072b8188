import { assert, suite } from '#support/runner/suite'
import { rejectedRefusal } from '#support/values/failures'
import { serveTrial, type TrialServer } from '../../../../local-runner/trial/serveTrial'

const test = suite('the server of a trial')

const servers: TrialServer[] = []
test.after.each(() => {
  for (const server of servers.splice(0)) server.close()
})

async function serve(hosts: readonly string[], port = 0): Promise<TrialServer> {
  const at = { hosts, port, token: 'abc' }
  const server = await serveTrial(at, (links) => async () => Response.json(links()))
  servers.push(server)
  return server
}

test('one port on several addresses, and the app knows all of them', async () => {
  const { links } = await serve(['127.0.0.1', '127.0.0.2'])
  const [first = '', second = ''] = links
  assert.match(first, /^http:\/\/127\.0\.0\.1:\d+\/abc\/$/)
  assert.equal([links.length, second], [2, first.replace('127.0.0.1', '127.0.0.2')])
  assert.equal(await (await fetch(second)).json(), links)
})

test('a further address on which the port is taken is left out; the first one must be possible', async () => {
  const taken = await serve(['127.0.0.2'])
  const port = Number(new URL(taken.links[0] ?? '').port)
  const { links } = await serve(['127.0.0.1', '127.0.0.2'], port)
  assert.equal(links, [`http://127.0.0.1:${port}/abc/`])
  await rejectedRefusal(serve(['127.0.0.2'], port), 'unavailable')
})

test('closed, it answers no more, on connections that were kept open either', async () => {
  const server = await serve(['127.0.0.1'])
  const [link = ''] = server.links
  assert.is((await fetch(link)).status, 200)
  server.close()
  const answer = await fetch(link).then(
    () => 'answers',
    () => 'closed',
  )
  assert.is(answer, 'closed')
})
