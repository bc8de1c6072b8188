import { createRoute, z } from '@hono/zod-openapi'
import {
  cleanupRequest,
  cleanupResult,
  convertForm,
  errorBody,
  prepareForm,
  prepareResult,
  prepareUpload,
  sessionPath,
  sessionRecord,
  thumbnailRequest,
  uploadPath,
  uploadRequest,
  uploadResult,
} from './schemas'

/** Every route of the media API, as it is validated and as the OpenAPI document shows it. */

const failure = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorBody } },
})

const FAILURES = {
  400: failure('The request or the file is wrong; `detail` names the field.'),
  401: failure('The bearer token is missing or wrong.'),
  404: failure('There is no such session or upload, or it has expired.'),
  409: failure('The upload is in use, or its file is not there yet, or is there already.'),
  413: failure('The upload, a picture in it, or the request body is too large.'),
  415: failure('Sound only, a codec that cannot be read, or a body of the wrong content type.'),
  416: failure('The range lies outside the preview.'),
  422: failure('A field is missing, of the wrong type, or outside its range.'),
  429: failure('Too many jobs; try again after Retry-After seconds.'),
  500: failure('A mistake of the service.'),
  503: failure('The service cannot work now.'),
  504: failure('It took too long.'),
} as const

function failures<S extends keyof typeof FAILURES>(...statuses: readonly S[]): Pick<typeof FAILURES, S> {
  return Object.fromEntries(statuses.map((status) => [status, FAILURES[status]])) as Pick<typeof FAILURES, S>
}

const binary = (mediaType: string) => ({
  [mediaType]: { schema: z.string().openapi({ format: 'binary' }) },
})

const SECURITY = [{ bearer: [] }, {}]

export const healthRoute = createRoute({
  method: 'get',
  path: '/health',
  summary: 'Whether the service can work: no body, only a status',
  security: SECURITY,
  responses: { 200: { description: 'It can.' }, ...failures(401, 503) },
})

export const prepareRoute = createRoute({
  method: 'post',
  path: '/prepare',
  summary: 'Upload a video or animated image: makes a session and its preview',
  security: SECURITY,
  description:
    'With an upload_id, that upload is used up when this succeeds or the file is refused (400, 413, 415); after any other failure it can be prepared again.',
  request: {
    body: {
      required: true,
      content: {
        'multipart/form-data': { schema: prepareForm },
        'application/x-www-form-urlencoded': { schema: prepareUpload },
        'application/json': { schema: prepareUpload },
      },
    },
  },
  responses: {
    200: {
      description: 'The session.',
      content: { 'application/json': { schema: prepareResult } },
    },
    ...failures(400, 401, 404, 409, 413, 415, 422, 429, 500, 503, 504),
  },
})

export const uploadsRoute = createRoute({
  method: 'post',
  path: '/uploads',
  summary: 'Allow a large file to be sent apart from POST /prepare',
  description:
    'Then PUT the file to `url` with `headers`, and POST /prepare with `upload_id`: once, within the hour.',
  security: SECURITY,
  request: { body: { required: true, content: { 'application/json': { schema: uploadRequest } } } },
  responses: {
    201: { description: 'It is allowed.', content: { 'application/json': { schema: uploadResult } } },
    ...failures(400, 401, 413, 415, 422, 503),
  },
})

export const uploadRoute = createRoute({
  method: 'put',
  path: '/uploads/{upload_id}',
  summary: 'Take the file of an upload, where the store does not take it by itself',
  description:
    'The address is a secret and needs no token. Ask POST /uploads for it: it may lead elsewhere. Too few bytes are 400, too many 413, a Content-Type that is neither the announced one nor application/octet-stream 415, a second file 409.',
  security: SECURITY,
  request: { params: uploadPath, body: { required: true, content: binary('*/*') } },
  responses: {
    200: { description: 'The file is there; no body.' },
    ...failures(400, 401, 404, 409, 413, 415, 503, 504),
  },
})

export const previewRoute = createRoute({
  method: 'get',
  path: '/preview/{file}',
  summary: 'The preview of a session; one byte range at a time',
  security: SECURITY,
  request: {
    params: z.object({
      file: z.string().openapi({
        param: { name: 'file', in: 'path' },
        description: '`{session_id}.mp4`',
        example: '0f8fad5bd9cb469fa16570867728950e.mp4',
      }),
    }),
  },
  responses: {
    200: { description: 'The MP4.', content: binary('video/mp4') },
    206: { description: 'The range that was asked for.', content: binary('video/mp4') },
    304: { description: 'The client has it already.' },
    ...failures(401, 404, 416),
  },
})

export const convertRoute = createRoute({
  method: 'post',
  path: '/convert',
  summary: 'Make a motion photo of a range, a cover time and a speed',
  security: SECURITY,
  request: {
    body: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': { schema: convertForm },
        'multipart/form-data': { schema: convertForm },
      },
    },
  },
  responses: {
    200: { description: 'The motion photo.', content: binary('image/jpeg') },
    ...failures(400, 401, 404, 413, 415, 422, 429, 500, 503, 504),
  },
})

export const thumbnailRoute = createRoute({
  method: 'post',
  path: '/thumbnail',
  summary: 'A JPEG of the frame at a time',
  security: SECURITY,
  request: { body: { required: true, content: { 'application/json': { schema: thumbnailRequest } } } },
  responses: {
    200: { description: 'The frame.', content: binary('image/jpeg') },
    ...failures(400, 401, 404, 413, 415, 422, 500, 503, 504),
  },
})

export const cleanupRoute = createRoute({
  method: 'post',
  path: '/cleanup',
  summary: 'Remove a session and its files',
  security: SECURITY,
  request: { body: { required: true, content: { 'application/json': { schema: cleanupRequest } } } },
  responses: {
    200: { description: 'It is removed.', content: { 'application/json': { schema: cleanupResult } } },
    ...failures(400, 401, 404, 413, 415, 422, 503),
  },
})

export const sessionRoute = createRoute({
  method: 'get',
  path: '/sessions/{session_id}',
  summary: 'What a session holds and when it expires',
  security: SECURITY,
  request: { params: sessionPath },
  responses: {
    200: { description: 'The session.', content: { 'application/json': { schema: sessionRecord } } },
    ...failures(401, 404, 503),
  },
})

export const documentRoute = createRoute({
  method: 'get',
  path: '/openapi.json',
  summary: 'This document',
  security: SECURITY,
  responses: {
    200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: z.looseObject({}) } } },
    ...failures(401),
  },
})

export const pageRoute = createRoute({
  method: 'get',
  path: '/',
  summary: 'A page for people: the service, its state, its API document',
  responses: { 200: { description: 'HTML.', content: { 'text/html': { schema: z.string() } } } },
})

export const ROUTES = [
  healthRoute,
  uploadsRoute,
  uploadRoute,
  prepareRoute,
  previewRoute,
  convertRoute,
  thumbnailRoute,
  cleanupRoute,
  sessionRoute,
  documentRoute,
  pageRoute,
] as const
