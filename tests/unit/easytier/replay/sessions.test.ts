import { suite } from '#support/runner/suite'
import { sayTheSame } from './sameMeaning'

const test = suite('easytier: our peer in the place of the native one in recorded sessions')

const names = [
  'native-guest-real-host-tcp',
  'real-guest-native-host-tcp',
  'native-guest-real-host-shared',
  'real-guest-native-host-shared',
]

for (const name of names)
  test(`${name}: it says what was said, and sees what was seen`, async () => void (await sayTheSame(name)))

test.run()
