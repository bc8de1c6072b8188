import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '@lantern-room/base/settings'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { withSecretFiles } from '../../../local-runner/secretFiles'

const test = suite('secrets in files')
const folder = await folderOfSuite('secrets')
const path = join(folder, 'token')

test('a secret is what its file holds, without the line end', async () => {
  await writeFile(path, 'of-the-file\n')
  const read = withSecretFiles({ MEDIA_SERVICE_TOKEN_FILE: path, MEDIA_PORT: '1' })
  assert.equal([read.MEDIA_SERVICE_TOKEN, read.MEDIA_PORT], ['of-the-file', '1'])
})

test('one that is missing, empty or set twice is refused with its setting, and without the secret', async () => {
  await writeFile(path, ' \n')
  const env = {
    MEDIA_SERVICE_TOKENS_FILE: join(folder, 'none'),
    CALLBACK_SECRET_FILE: path,
    MEDIA_SERVICE_TOKEN_FILE: path,
    MEDIA_SERVICE_TOKEN: 'not-to-be-shown',
  }
  try {
    withSecretFiles(env)
    assert.unreachable()
  } catch (error) {
    assert.instance(error, ConfigError)
    const { message } = error as ConfigError
    assert.match(message, /MEDIA_SERVICE_TOKENS_FILE: the file .*none cannot be read \(ENOENT\)/)
    assert.match(message, /CALLBACK_SECRET_FILE: the file .* is empty/)
    assert.match(message, /MEDIA_SERVICE_TOKEN and MEDIA_SERVICE_TOKEN_FILE: set one of the two/)
    assert.not.match(message, 'not-to-be-shown')
  }
})

test.run()
