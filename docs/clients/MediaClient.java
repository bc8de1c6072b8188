import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A client of the motion photo API in Java 17, without other libraries.
 *
 * <pre>java MediaClient.java URL VIDEO START END PHOTO</pre>
 *
 * Makes a motion photo of a part of a video, in seconds, with a cover from its middle, and a thumbnail of that beside it. The token, if
 * there is one, is in MEDIA_SERVICE_TOKEN. A program with a JSON library reads answers with that instead of the expressions below.
 */
public class MediaClient {
    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final String token;

    public MediaClient(String url, String token) {
        this.url = url;
        this.token = token;
    }

    /** A request was refused; {@code code} is stable, the message is for people. */
    public static class Refused extends IOException {
        public final int status;
        public final String code;

        Refused(int status, String code, String message) {
            super(message);
            this.status = status;
            this.code = code;
        }
    }

    /**
     * Posts a form.
     *
     * @param file is read into memory; null for none
     * @return the bytes of the answer
     */
    public byte[] send(String path, Path file, Map<String, ?> fields) throws IOException, InterruptedException {
        String boundary = UUID.randomUUID().toString();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        String part = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"";
        for (Map.Entry<String, ?> field : fields.entrySet()) {
            write(body, part + field.getKey() + "\"\r\n\r\n" + field.getValue() + "\r\n");
        }
        if (file != null) {
            String name = file.getFileName().toString().replace("\"", "%22");
            write(body, part + "file\"; filename=\"" + name + "\"\r\n\r\n");
            body.write(Files.readAllBytes(file));
            write(body, "\r\n");
        }
        write(body, "--" + boundary + "--\r\n");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
            .header("Content-Type", "multipart/form-data; boundary=" + boundary)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()));
        if (token != null) request.header("Authorization", "Bearer " + token);
        HttpResponse<byte[]> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() >= 400) {
            String refusal = text(answer.body());
            throw new Refused(answer.statusCode(), field(refusal, "code"), field(refusal, "detail"));
        }
        return answer.body();
    }

    /** @return the session's id */
    public String prepare(Path video) throws IOException, InterruptedException {
        return field(text(send("/prepare", video, Map.of())), "session_id");
    }

    public byte[] convert(String session, double start, double end, double cover) throws IOException, InterruptedException {
        return send("/convert", null, Map.of(
            "session_id", session, "range_start", start, "range_end", end, "cover_time", cover, "speed", 1));
    }

    public byte[] thumbnail(String session, double time, int width) throws IOException, InterruptedException {
        return send("/thumbnail", null, Map.of("session_id", session, "timestamp", time, "width", width));
    }

    /** @return JSON */
    public String inspect(Path photo) throws IOException, InterruptedException {
        return text(send("/inspect", photo, Map.of()));
    }

    public void cleanup(String session) throws IOException, InterruptedException {
        send("/cleanup", null, Map.of("session_id", session));
    }

    private static void write(ByteArrayOutputStream body, String text) throws IOException {
        body.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(byte[] body) {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** The first text field of this name, or null. */
    static String field(String json, String name) {
        Matcher match = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
        return match.find() ? match.group(1).replaceAll("\\\\(.)", "$1") : null;
    }

    public static void main(String[] args) throws Exception {
        MediaClient client = new MediaClient(args[0], System.getenv("MEDIA_SERVICE_TOKEN"));
        double start = Double.parseDouble(args[2]);
        double end = Double.parseDouble(args[3]);
        double cover = (start + end) / 2;
        try {
            String session = client.prepare(Path.of(args[1]));
            try {
                Files.write(Path.of(args[4]), client.convert(session, start, end, cover));
                Files.write(Path.of(args[4] + ".thumbnail.jpg"), client.thumbnail(session, cover, 160));
            } finally {
                client.cleanup(session);
            }
            String verdicts = client.inspect(Path.of(args[4]));
            String galleries = Pattern.compile("\"gallery\":\"(\\w+)\",\"recognised\":\"yes\"").matcher(verdicts)
                .results().map(match -> match.group(1)).collect(Collectors.joining(" "));
            System.out.println("made " + args[4] + " for " + galleries);
        } catch (Refused refused) {
            System.out.println("refused " + refused.code + " " + refused.getMessage());
            System.exit(2);
        }
    }
}
