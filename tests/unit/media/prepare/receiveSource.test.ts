import { asciiBytes } from '#core/bytes'
import type { ReceiveForm } from '#core/media/ports'
import { announcedBytes, receiveSource } from '#core/media/prepare/receiveSource'
import type { PrepareProgress } from '#core/media/progress'
import { CLIENT, codeOf, fakeWorkFolders, postOf } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'

const test = suite('receiving a video')
const { signal } = new AbortController()
const upload_id = '5d5b5c7e-0000-4000-8000-000000000000'

/** @param file its size; undefined for a form without a file */
async function receive(fields: Record<string, string>, file: number | undefined, request = postOf()) {
  const reports: PrepareProgress[] = []
  const limits: number[] = []
  const receiveForm: ReceiveForm = async (_, options) => {
    limits.push(options.maxFileBytes, options.idleMs)
    if (file) options.checkHead(asciiBytes('GIF89a'))
    options.onFileBytes?.(file ?? 0)
    return {
      fields: new Map(Object.entries(fields)),
      file: file === undefined ? undefined : { path: '/work/file', size: file },
      others: new Map([['donor', 'donor.bin']]),
    }
  }
  const folder = await fakeWorkFolders(new Map([['donor.bin', Uint8Array.of(7)]])).workFolders.open()
  const client = { ...CLIENT, maxUploadBytes: 50 }
  const received = await receiveSource(
    { receiveForm, limits: { maxUploadBytes: 100, uploadIdleSeconds: 3 } },
    request,
    { client, folder, signal, onProgress: (progress) => reports.push(progress) },
    { texts: [] },
  )
  return { ...received, reports, limits }
}

test('a file comes with its kind, under the limit of its client, and says how far it is', async () => {
  const { source, pictures, reports, limits } = await receive({}, 40, postOf('', undefined, 60))
  assert.equal(source, { path: '/work/file', size: 40, kind: 'animated-image' })
  assert.equal(pictures, { coverFile: undefined, donor: Uint8Array.of(7) })
  assert.equal(reports, [{ stage: 'receiving', receivedBytes: 40, totalBytes: 60 }])
  assert.equal(limits, [50, 3000])
  const [unannounced] = (await receive({}, 40)).reports
  assert.equal(unannounced, { stage: 'receiving', receivedBytes: 40, totalBytes: undefined })
})

test('an upload is named in a form, whose empty fields count as left out, or in JSON', async () => {
  const named = { uploadId: upload_id }
  assert.equal((await receive({ upload_id }, undefined)).source, named)
  assert.equal((await receive({ upload_id }, 0)).source, named, 'an empty field "file"')
  assert.ok('path' in (await receive({ upload_id: '' }, 40)).source)
  const json = await receive({}, undefined, postOf(JSON.stringify({ upload_id }), 'application/json'))
  assert.equal([json.source, json.limits], [named, []])
})

test('both a file and an upload are refused, and so is neither', async () => {
  assert.is(await codeOf(receive({ upload_id }, 40)), 'invalid-request')
  assert.is(await codeOf(receive({}, undefined)), 'unprocessable')
  assert.is(await codeOf(receive({}, 0)), 'invalid-request', 'an empty file')
})

test('only a body that can hold a file announces bytes', () => {
  assert.is(announcedBytes(postOf('', undefined, 12)), 12)
  assert.is(announcedBytes(postOf('')), 0)
  assert.is(announcedBytes(postOf('{}', 'application/json', 12)), 0)
})

test.run()
