// llama.cpp's grammar engine as a judge for scripts/compare_notations.py: no model, no vocabulary.
//
//   pip download --no-deps --no-binary :all: llama-cpp-python     and unpack it
//   L=llama_cpp_python-VERSION/vendor/llama.cpp
//   g++ -O1 -std=c++17 -I$L/src -I$L/include -I$L/ggml/include
//       tests/tools/llama_judge.cpp $L/src/llama-grammar.cpp -o judge
//   judge GRAMMAR.gbnf <texts     in hex, one a line; prints "ok" or "refused" (why: on stderr), then 1 or 0 for each
#include "llama-grammar.h"
#include "llama-vocab.h"
#include "llama-impl.h"
#include "llama-sampler.h"
#include <fstream>
#include <iostream>
#include <sstream>
#include <cstdarg>
void llama_log_internal(ggml_log_level, const char *format, ...) { fputs(format, stderr); }
std::string format(const char *, ...) { return ""; }
extern "C" void ggml_abort(const char *, int, const char *, ...) { abort(); }
const std::string &llama_vocab::token_to_piece(llama_token) const
{
	static std::string s;
	return s;
}
bool llama_vocab::is_eog(llama_token) const { return false; }
int32_t llama_vocab::tokenize(const char *, int32_t, llama_token *, int32_t, bool, bool) const { return 0; }
static std::vector<uint32_t> decode(const std::string &s)
{
	std::vector<uint32_t> o;
	for (size_t i = 0; i < s.size();) {
		unsigned char b = s[i];
		int n = b < 0x80 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
		uint32_t c = n == 1 ? b : b & (0x7f >> n);
		for (int k = 1; k < n; k++) c = c << 6 | (s[i + k] & 0x3f);
		o.push_back(c);
		i += n;
	}
	return o;
}
int main(int, char **v)
{
	std::ifstream f(v[1]);
	std::stringstream ss;
	ss << f.rdbuf();
	std::string g = ss.str();
	llama_grammar *gr = llama_grammar_init_impl(nullptr, g.c_str(), "root", false, nullptr, 0, nullptr, 0);
	if (!gr) {
		puts("refused");
		return 0;
	}
	puts("ok");
	std::string line;
	while (std::getline(std::cin, line)) {
		std::string t;
		for (size_t i = 0; i + 1 < line.size(); i += 2) t.push_back((char)std::stoi(line.substr(i, 2), nullptr, 16));
		llama_grammar *c = llama_grammar_clone_impl(*gr);
		bool ok = true;
		for (uint32_t cp : decode(t)) {
			llama_grammar_accept(c, cp);
			if (llama_grammar_get_stacks(c).empty()) {
				ok = false;
				break;
			}
		}
		bool acc = false;
		if (ok)
			for (auto &s : llama_grammar_get_stacks(c)) acc |= s.empty();
		puts(acc ? "1" : "0");
		llama_grammar_free_impl(c);
	}
}
