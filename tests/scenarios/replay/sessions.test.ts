import { hexOf } from '#support/network/easytierVectors'
import { nativeMeanings, readSession } from '#support/network/recordedSession'
import { replaySession } from '#support/network/sessionReplay'
import { assert, suite } from '#support/runner/suite'
import { sameAnswers, sameHandshakes, samePeers, samePongs, sameSync, talk } from './sameMeaning'

const test = suite('easytier: our peer in the place of the native one in recorded sessions')

const names = [
  'native-guest-real-host-tcp',
  'real-guest-native-host-tcp',
  'native-guest-real-host-shared',
  'real-guest-native-host-shared',
]

for (const name of names) {
  test(`${name}: it says what was said, and sees what was seen`, async () => {
    const session = readSession(name)
    const { said, pings, peers, echo, timersLeft } = await replaySession(session)
    const ours = said.flatMap(({ meaning }) => meaning ?? [])
    const theirs = nativeMeanings(session)
    sameHandshakes(ours, theirs)
    samePongs(said, pings)
    sameAnswers(ours, theirs, session.links[0]?.peerId ?? 0)
    sameSync(session, ours, theirs)
    assert.equal(talk(ours), talk(theirs))
    if (session.role === 'guest') assert.is(hexOf(echo), hexOf(talk(theirs).data))
    samePeers(session, peers)
    assert.is(timersLeft, 0)
  })
}

test.run()
