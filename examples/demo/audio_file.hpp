#pragma once
// A sound file in memory, read and written by libsndfile.

#include <cstdint>
#include <string>
#include <vector>

namespace demo {

struct AudioFile {
  std::vector<float> samples;  // interleaved: the channels of one frame lie side by side
  std::int64_t frames = 0;
  int channels = 0;
  int sample_rate = 0;
  int encoding = 0;  // libsndfile's SF_FORMAT_PCM_16 and so on
};

// A WAV file in PCM (8 to 32 bits) or float. Throws std::runtime_error that says what is wrong with it.
AudioFile read_wav(const std::string& path);

// In the encoding of `audio`. Throws std::runtime_error.
void write_wav(const std::string& path, const AudioFile& audio);

}  // namespace demo
