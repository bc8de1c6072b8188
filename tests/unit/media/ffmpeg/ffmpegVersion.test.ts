import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ffmpegNotes,
  readFfmpegVersion,
  SECURITY_FIXES,
  versionWarning,
} from '#internal/media/ffmpeg/ffmpegVersion'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

const test = suite('the version of ffmpeg')

const MISSING = ['CVE-2026-8461']
const versions: readonly [name: string, missing: readonly string[] | undefined][] = [
  ['5.1.9-0+deb12u1', MISSING],
  ['6.1.1-3ubuntu5', MISSING],
  ['7.0.2-static', MISSING],
  ['7.1.4-0+deb13u1', MISSING],
  ['7.1.5-0+deb13u1', []],
  ['7.1.10', []],
  ['7.2', MISSING],
  ['8.0', MISSING],
  ['8.0.3', []],
  ['8.1', MISSING],
  ['8.1.1', MISSING],
  ['8.1.2', []],
  ['8.2', []],
  ['9.0.2-4', []],
  ['n8.1.2-50-g1a748fe2cd-20260831', []],
  ['n8.1-12-g0123456789', MISSING],
  ['10.0', []],
  ['n8.2-dev-123-g0123456789', undefined],
  ['N-118193-g5f38c82536', undefined],
  ['2026-06-01-git-5f38c82536-full_build', undefined],
  ['git-2026-06-01-5f38c82', undefined],
  ['8', undefined],
]
for (const [name, missing] of versions) {
  test(`${name} ${missing === undefined ? 'is no release' : missing.length > 0 ? 'lacks a fix' : 'has all fixes'}`, () => {
    const version = readFfmpegVersion(
      `ffmpeg version ${name} Copyright (c) 2000-2026 the FFmpeg developers\nbuilt`,
    )
    assert.is(version.name, name)
    assert.equal(
      version.missing?.map(({ id }) => id),
      missing,
    )
    const warning = versionWarning(version)
    if (missing === undefined) assert.match(warning ?? '', `ffmpeg ${name} is not a release`)
    else if (missing.length === 0) assert.is(warning, undefined)
    else
      assert.match(
        warning ?? '',
        /lacks the fix of CVE-2026-8461 .*Install FFmpeg 7\.1\.5, 8\.0\.3, 8\.1\.2 or newer/,
      )
  })
}

test('what says no version is unknown', () => {
  assert.equal(readFfmpegVersion('segmentation fault'), { name: 'unknown', missing: undefined })
})

test('the notes tell where it is, first', () => {
  const good = readFfmpegVersion('ffmpeg version 8.1.2 Copyright')
  assert.equal(ffmpegNotes(good, '/opt/bin/ffmpeg'), ['ffmpeg 8.1.2 (/opt/bin/ffmpeg)'])
  assert.equal(ffmpegNotes(good, 'ffmpeg'), ['ffmpeg 8.1.2 (ffmpeg in PATH)'])
  const [which, warning, ...others] = ffmpegNotes(readFfmpegVersion('ffmpeg version 7.0.2-static'), '/f')
  assert.equal([which, others], ['ffmpeg 7.0.2-static (/f)', []])
  assert.match(warning ?? '', /^Warning: ffmpeg 7\.0\.2-static lacks the fix/)
})

test('the table of the documentation is that of the code', async () => {
  const page = await readFile(join(projectRoot, 'docs/operating.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (CVE-[\d-]+) \| (.*?) \| (.*?) \|$/gm)].map(([, ...cells]) => cells)
  assert.equal(
    rows,
    SECURITY_FIXES.map(({ id, part, releases }) => [id, part, `${releases.join(', ')}, and later branches`]),
  )
})

test.run()
